"""`media:<ref>` in widgets, rich text and the profile becomes `<picture>` with the variants that exist."""

import json
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.sites.media.schemas import MediaFiles, MediaVariant
from sitewright.sites.publishing.designs import builtin_design
from sitewright.sites.publishing.pictures import Pictures
from sitewright.sites.publishing.raw_html import with_pictures
from sitewright.sites.publishing.render_input import DesignChoice
from sitewright.sites.publishing.rendering import Rendering
from tests.sites.publishing.pages import Document, home_with, input_with, page_with
from tests.support.sample_parts import SampleWidget

WIDTHS = {"avif": (320, 640), "webp": (320, 640, 960, 1440), "jpg": (320, 640, 960, 1440)}
DESIGNS = tuple(sorted(folder.name for folder in BUILTIN.iterdir() if folder.name != "shared"))


def files(ref: int = 5, widths: dict[str, tuple[int, ...]] = WIDTHS, **fields: Any) -> MediaFiles:
    variants = [
        MediaVariant(f"{ref:032x}-{width}.{each}", each, width, width // 2, animated=False)
        for each, several in widths.items()
        for width in several
    ]
    plain: dict[str, Any] = {
        "ref": ref, "name": "bar.jpg", "alt": "The bar", "mime_type": "image/jpeg", "width": 1440, "height": 720,
        "frames": 1, "focal_x": 0.5, "focal_y": 0.5, "variants": variants,
    }  # fmt: skip
    return MediaFiles(**(plain | fields))


def url(ref: int, width: int, extension: str) -> str:
    return f"/_media/{ref:032x}-{width}.{extension}"


def shown_with(*widgets: SampleWidget, media: dict[int, MediaFiles] | None = None, **fields: Any) -> Document:
    known = {5: files(5), 6: files(6)} if media is None else media
    return home_with(*widgets, media=known, **fields)


def image(src: str = "media:5", **values: str) -> SampleWidget:
    return SampleWidget("image", {"src": src, **values})


def pictures(document: Document) -> list[Element]:
    return [each for each in document.main.iter("img") if each.get("src", "").startswith("/_media/")]


@pytest.mark.parametrize("design", DESIGNS)
def test_a_picture_has_every_format_and_width_that_exists(design: str) -> None:
    document = shown_with(image(), design=DesignChoice(directory=design))
    sources = list(document.one("picture").iter("source"))
    assert [each.get("type") for each in sources] == ["image/avif", "image/webp"]
    assert sources[0].get("srcset") == f"{url(5, 320, 'avif')} 320w, {url(5, 640, 'avif')} 640w"
    [shown] = pictures(document)
    assert shown.get("src") == url(5, 960, "jpg")
    assert (shown.get("srcset") or "").count("w,") == 3
    assert (shown.get("width"), shown.get("height"), shown.get("alt")) == ("1440", "720", "The bar")
    assert {each.get("sizes") for each in [*sources, shown]} == {"(min-width: 75rem) 72rem, 100vw"}


def test_the_first_picture_loads_at_once_and_the_others_lazily() -> None:
    gallery = SampleWidget("gallery", {"images": json.dumps([{"src": "media:5"}, {"src": "media:6", "alt": "Own"}])})
    document = shown_with(image(), gallery, image("media:6"))
    shown = pictures(document)
    assert [each.get("loading") for each in shown] == ["eager", "lazy", "lazy", "lazy"]
    assert [each.get("fetchpriority") for each in shown] == ["high", None, None, None]
    assert [each.get("alt") for each in shown] == ["The bar", "The bar", "Own", "The bar"]
    assert shown[1].get("sizes") == "auto, (min-width: 52rem) 34vw, 50vw"


def test_pictures_of_a_gallery_share_a_row_by_their_ratios() -> None:
    images = [{"src": "media:5"}, {"src": "media:6"}, {"src": "https://pictures.example/a.png"}]
    media = {5: files(), 6: files(height=1440)}  # 2:1 and 1:1; the third one's size is unknown
    document = shown_with(SampleWidget("gallery", {"images": json.dumps(images)}), media=media)
    assert [each.get("style") for each in document.one("ul", class_="gallery")] == [
        "--share:1.333",
        "--share:0.667",
        None,
    ]


def test_the_feature_image_is_the_first_picture() -> None:
    document = shown_with(image(), profile={"business": "Kettle", "featureimage": "media:6", "logo": "media:5"})
    hero, shown = pictures(document)
    assert (hero.get("src"), hero.get("fetchpriority"), hero.get("loading")) == (url(6, 960, "jpg"), "high", "eager")
    assert shown.get("loading") == "lazy"
    logo = document.one("img", class_="logo")
    assert (logo.get("src"), logo.get("width"), logo.get("height")) == (url(5, 960, "jpg"), "1440", "720")
    shared = document.one("meta", property="og:image").get("content")
    assert shared == "https://www.example.com" + url(6, 960, "jpg")


def test_only_files_that_exist_are_named() -> None:
    document = shown_with(image(), media={5: files(widths={"webp": (960,)})})
    assert document.all("picture") == []
    [shown] = pictures(document)
    assert (shown.get("src"), shown.get("srcset")) == (url(5, 960, "webp"), f"{url(5, 960, 'webp')} 960w")


@pytest.mark.parametrize("media", [{}, {5: files(widths={})}], ids=["deleted", "without variants"])
def test_a_picture_without_files_shows_nothing(media: dict[int, MediaFiles]) -> None:
    gallery = SampleWidget("gallery", {"images": json.dumps([{"src": "media:5"}])})
    text = SampleWidget("content", {"content": '<p>Open <img src="media:5" alt="bar"> daily</p>'})
    profile = {"business": "Kettle", "featureimage": "media:5", "logo": "media:5"}
    document = shown_with(image(caption="gone"), gallery, text, media=media, profile=profile)
    assert "media" not in document.html
    assert (document.all("img"), document.all("figure")) == ([], [])


def test_crops_follow_the_focal_point() -> None:
    gallery = SampleWidget("gallery", {"images": json.dumps([{"src": "media:5"}])})
    document = shown_with(gallery, media={5: files(focal_x=0.25, focal_y=1)})
    assert pictures(document)[0].get("style") == "object-position:25% 100%"


def test_the_alternative_text_of_the_widget_wins() -> None:
    assert pictures(shown_with(image(alt="Our bar")))[0].get("alt") == "Our bar"


def test_a_drawing_has_no_widths() -> None:
    [shown] = pictures(shown_with(image(), media={5: files(widths={"svg": (300,)})}))
    assert (shown.get("src"), shown.get("srcset"), shown.get("sizes")) == (url(5, 300, "svg"), None, None)


def test_an_animation_shows_its_frames() -> None:
    still = files(widths={"webp": (320, 640), "jpg": (320, 640)})
    moving = [MediaVariant(f"{5:032x}-600.webp", "webp", 600, 300, animated=True)]
    document = shown_with(image(), media={5: files(frames=9, variants=[*still.variants, *moving])})
    assert document.one("source").get("srcset") == f"{url(5, 600, 'webp')} 600w"


def test_pictures_within_rich_text() -> None:
    html = '<p>Open <img src="media:5" alt="A &quot;fine&quot; bar"><img src="media:7"></p><p><img src="media:6"></p>'
    document = shown_with(SampleWidget("content", {"content": html}))
    shown = pictures(document)
    assert [each.get("alt") for each in shown] == ['A "fine" bar', "The bar"]
    assert len(document.all("picture")) == 2
    assert "media:" not in document.html


@pytest.mark.parametrize("src", ["https://pictures.example/bar.jpg", "/bar.jpg", "data:image/png;base64,AAAA"])
def test_other_urls_are_as_before(src: str) -> None:
    document = shown_with(image(src))
    [shown] = document.main.iter("img")
    assert shown.attrib == {"src": src, "alt": "", "loading": "lazy", "decoding": "async"}


def test_a_preview_names_files_of_the_service() -> None:
    """A site that is offline serves none."""
    shown = input_with(page_with(image()), media={5: files()}, preview_media="/account/media/1-7-")
    html = Rendering(shown, builtin_design("consult"), "preview").home_page().decode()
    assert f'src="/account/media/1-7-{5:032x}-960.jpg"' in html
    assert "/_media/" not in html


RAW = (
    '<img src="media:5"><IMG alt="" class=\'a\' SRC=\'media:5\' width="20"><img src="media:7" alt="gone">'
    '<img src="/b.jpg"><video poster="media:5"></video><a href="media:7" title="see media:5">x</a>'
)


def test_pictures_in_raw_html_are_addresses_with_text_and_size() -> None:
    document = shown_with(SampleWidget("html", {"html": RAW}), media={5: files(alt='The "bar"')})
    address = url(5, 960, "jpg")
    assert f'<img src="{address}" alt="The &#34;bar&#34;" width="1440" height="720">' in document.html
    assert f'<IMG alt="" class=\'a\' src="{address}" width="20">' in document.html
    assert f'<img src="/b.jpg"><video poster="{address}"></video><a href="" title="see media:5">' in document.html
    assert "gone" not in document.html


def test_pictures_in_scripts_are_addresses() -> None:
    scripts = {"headscript": '<link rel="icon" href="media:5">', "bodyscript": "<script>show('media:5')</script>"}
    document = shown_with(image(), global_values=scripts)
    assert f'<link rel="icon" href="{url(5, 960, "jpg")}">' in document.html
    assert f"show('{url(5, 960, 'jpg')}')" in document.html


@pytest.mark.parametrize(
    ("value", "link"),
    [
        ("media:5", f'<link rel="icon" href="{url(5, 320, "jpg")}">'),
        ("https://a.example/icon.png", '<link rel="icon" href="https://a.example/icon.png">'),
        ("media:99", 'type="image/svg+xml">'),
        ("javascript:alert(1)", 'type="image/svg+xml">'),
    ],
)
def test_the_icon_in_browser_tabs_is_the_chosen_picture(value: str, link: str) -> None:
    """Where there is none, or it was deleted, the template's own icon is shown."""
    document = shown_with(image(), global_values={"favicon": value})
    assert link in document.html
    assert document.html.count('rel="icon"') == 1


@pytest.mark.parametrize("part", ['<img "', "<img src='media:5", '"media:5', "<img ", "<img '\"", "<img alt=\"'"])
def test_unclosed_tags_take_no_longer(part: str) -> None:
    """A search that is quadratic would take minutes here."""
    assert len(with_pictures(part * 50_000 + "media:5", Pictures({5: files()}))) > 0
