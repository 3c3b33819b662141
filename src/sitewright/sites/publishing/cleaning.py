"""What account holders write, made safe to stand in a page: rich text, and addresses in links and pictures."""

import re

import nh3
from markupsafe import escape

from sitewright.sites.content import service as content
from sitewright.sites.publishing.nesting import is_orderly

TEXT_TAGS = {
    "a", "abbr", "b", "blockquote", "br", "cite", "code", "dd", "del", "dl", "dt", "em", "figcaption", "figure", "h1",
    "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "small",
    "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul",
}  # fmt: skip
TEXT_ATTRIBUTES = {
    "*": {"lang", "dir", "title"},
    "a": {"href", "target"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
SCHEMES = {"http", "https", "mailto", "tel"}
MOST_ODD_TEXT = 8 * 1024
MOST_GROWTH = 4
_NUMBERS = {"width", "height", "colspan", "rowspan", "start"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_H1 = re.compile(r"<(/?)h1(?=[\s>])")
_IMG = re.compile(r'<img((?:\s+[\w-]+="[^"]*")*)')
_TAG = re.compile(r"<[^>]*>?")


def rich_text(html: str) -> str:
    """HTML of which only harmless tags and attributes are left.

    A page has one h1, which is its own: one in the text becomes an h2. A picture without a description is decoration.
    Parsers of HTML take minutes for a few hundred kilobytes of unclosed tags, and give back hundreds of times of what
    they were given for certain others: of such text, the words alone are left.
    """
    if len(html) > MOST_ODD_TEXT and not is_orderly(html):
        return _words_alone(html)
    clean = _CLEANER.clean(html)
    if len(clean) > MOST_GROWTH * len(html) + MOST_ODD_TEXT:
        return _words_alone(html)
    return _IMG.sub(_described, _H1.sub(r"<\1h2", clean))


def safe_url(url: str) -> str:
    """An address that leads somewhere and runs nothing; empty where there is none.

    Only http, https, mailto, tel and paths of the site itself; a path counts from the site's root.
    """
    url = url.strip()
    if not url or _CONTROL.search(url):
        return ""
    url = url.replace(" ", "%20")
    scheme = _SCHEME.match(url)
    if scheme is not None:
        return url if scheme[1].lower() in SCHEMES else ""
    if url.lower().startswith("www."):
        return f"https://{url}"
    return url if url[0] in "/#?" else f"/{url.removeprefix('./')}"


def picture_url(url: str) -> str:
    """The address of a picture, or the picture itself: as one, nothing in it runs."""
    if content.PICTURE.match(url.strip()) and not _CONTROL.search(url.strip()):
        return url.strip()
    safe = safe_url(url)
    return "" if safe.lower().startswith(("mailto:", "tel:", "#", "?")) else safe


def telephone_url(number: str) -> str:
    digits = re.sub(r"[^0-9+]", "", number)
    return f"tel:{digits}" if len(digits) >= 3 else ""


def _words_alone(html: str) -> str:
    words = "\n".join(line.strip() for line in _TAG.sub(" ", html).splitlines())
    paragraphs = (each.strip() for each in re.split(r"\n{2,}", words))
    return "".join(f"<p>{escape(each)}</p>" for each in paragraphs if each)


def _allowed(_tag: str, name: str, value: str) -> str | None:
    if name == "href":
        return safe_url(value) or None
    if name == "src":
        return picture_url(value) or None
    if name == "target":
        return value if value == "_blank" else None
    if name in _NUMBERS:
        return value if re.fullmatch(r"[0-9]{1,4}", value) else None
    return value


def _described(image: re.Match[str]) -> str:
    return image[0] if ' alt="' in image[0] else image[0] + ' alt=""'


_CLEANER = nh3.Cleaner(  # made once: for short texts, making it takes longer than cleaning
    tags=TEXT_TAGS,
    clean_content_tags={"script", "style"},
    attributes=TEXT_ATTRIBUTES,
    attribute_filter=_allowed,
    url_schemes=SCHEMES | {"data"},
    link_rel="noopener",
    set_tag_attribute_values={"img": {"loading": "lazy"}},
)
