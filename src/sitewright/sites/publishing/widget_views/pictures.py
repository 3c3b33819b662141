"""Views of pictures: single ones, galleries, slideshows, videos."""

from sitewright.sites.publishing.embeds import video_embed
from sitewright.sites.publishing.pictures import FULL, SIZES, Picture, sizes_of_columns
from sitewright.sites.publishing.sanitizing import safe_url
from sitewright.sites.publishing.widget_views.page_state import Builder, PageState, Values, View

MIN_RATIO, MAX_RATIO = 0.4, 2.5


def _image(page: PageState, values: Values, _depth: int) -> View | None:
    sizes = SIZES[values["width"]] if page.columns_around == 1 else sizes_of_columns(page.columns_around)
    picture = page.picture(values["src"], sizes)
    if picture is None:
        return None
    texts = {name: values[name].strip() for name in ("alt", "caption", "width")}
    texts["alt"] = texts["alt"] or picture.alt
    return {"src": picture.src, "picture": picture, "link": safe_url(values["link"]), **texts}


def _gallery(page: PageState, values: Values, _depth: int) -> View | None:
    columns = values["columns"]
    sizes = sizes_of_columns(columns * page.columns_around, "100vw" if columns == 1 else "50vw")
    listed = [(each, page.picture(each["src"], sizes)) for each in values["images"]]
    pictures = [
        each | {"src": picture.src, "picture": picture, "alt": each["alt"] or picture.alt}
        for each, picture in listed
        if picture is not None
    ]
    page.needs_script = page.needs_script or any(each["picture"].largest for each in pictures)
    return {"pictures": _with_shares(pictures), "columns": columns} if pictures else None


def _with_shares(pictures: list[View]) -> list[View]:
    """Add each picture's share of a row, so that pictures in a row are of equal height: its ratio by the mean one.

    A picture of unknown size counts as average.
    """
    ratios = [_ratio(each["picture"]) for each in pictures]
    known = [ratio for ratio in ratios if ratio]
    mean = sum(known) / len(known) if known else 1
    return [each | {"share": round((ratio or mean) / mean, 3)} for each, ratio in zip(pictures, ratios, strict=True)]


def _ratio(picture: Picture) -> float:
    """Width by height, within bounds; 0 where it is unknown."""
    if not picture.width or not picture.height:
        return 0
    return min(max(picture.width / picture.height, MIN_RATIO), MAX_RATIO)


def _slideshow(page: PageState, values: Values, _depth: int) -> View | None:
    sizes = FULL if page.columns_around == 1 else sizes_of_columns(page.columns_around)
    listed = [(each, page.picture(each["src"], sizes)) for each in values["images"]]
    slides = [
        {"picture": picture, "alt": each["alt"].strip() or picture.alt, "caption": each["caption"].strip()}
        | {"url": safe_url(each["url"])}
        for each, picture in listed
        if picture is not None
    ]
    page.needs_script = page.needs_script or len(slides) > 1
    return {"slides": slides, "ratio": ratio_name(values["ratio"])} if slides else None


def _video(page: PageState, values: Values, _depth: int) -> View | None:
    """A video of a host that is not listed is a link."""
    url = safe_url(values["url"])
    if not url.lower().startswith(("http://", "https://", "/")):
        return None
    embed = video_embed(url)
    page.needs_script = page.needs_script or embed is not None
    texts = {name: values[name].strip() for name in ("title", "caption")}
    picture = page.picture(values["image"], FULL) if embed is not None else None
    return {"url": url, "embed": embed, "picture": picture, "ratio": ratio_name(values["ratio"]), **texts}


def ratio_name(ratio: str) -> str:
    """The class name of an aspect ratio."""
    return ratio.replace(":", "x")


BUILDERS: dict[str, Builder] = {"image": _image, "gallery": _gallery, "slideshow": _slideshow, "video": _video}
