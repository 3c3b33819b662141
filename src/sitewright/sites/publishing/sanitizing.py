"""Sanitize content of account holders: rich text, and URLs of links and images."""

import re
from collections.abc import Callable
from html import unescape

import nh3
from markupsafe import escape

from sitewright.sites.content import service as content
from sitewright.sites.publishing.html_structure import is_well_formed

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
    **{tag: {"class"} for tag in ("p", "h1", "h2", "h3", "h4", "h5", "h6")},
}
ALIGNMENTS = {"center", "end"}
"""Classes of the shared style sheet that align a paragraph; no other class is kept."""
SCHEMES = {"http", "https", "mailto", "tel"}
MAX_MALFORMED_BYTES = 8 * 1024
MAX_GROWTH = 4
_NUMBERS = {"width", "height", "colspan", "rowspan", "start"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_H1 = re.compile(r"<(/?)h1(?=[\s>])")
_IMG = re.compile(r'<img((?:\s+[\w-]+="[^"]*")*)')
_MEDIA = re.compile(r"media:[1-9][0-9]{0,17}")
_MEDIA_IMG = re.compile(r'<img(?=\s)[^<>]*? src="(media:[0-9]+)"[^<>]*>')
_ALT = re.compile(r' alt="([^"]*)"')
_TAG = re.compile(r"<[^>]*>?")


def rich_text(html: str, picture: Callable[[str, str], str] | None = None) -> str:
    """Sanitize HTML with an allow-list of tags and attributes.

    `picture` returns the HTML of a picture of the media library, from its `src` and `alt`; without it there are none.

    An h1 becomes an h2, since the page has its own h1; an image without a description gets an empty alt. HTML parsers
    take minutes for some hundred kilobytes of unclosed tags, or return hundreds of times the input: such HTML is
    reduced to plain text.
    """
    if len(html) > MAX_MALFORMED_BYTES and not is_well_formed(html):
        return _plain_text(html)
    clean = _CLEANER.clean(html)
    if len(clean) > MAX_GROWTH * len(html) + MAX_MALFORMED_BYTES:
        return _plain_text(html)
    with_pictures = _MEDIA_IMG.sub(lambda found: _picture(found, picture), clean)
    return _IMG.sub(_with_alt, _H1.sub(r"<\1h2", with_pictures))


def safe_url(url: str) -> str:
    """Return a URL that cannot run scripts; empty where there is none.

    Only http, https, mailto, tel and paths of the site itself; paths are relative to the site's root.
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


def image_url(url: str) -> str:
    """Return a safe image URL, or an inline image (data URL), in which browsers run no scripts."""
    if content.DATA_IMAGE.match(url.strip()) and not _CONTROL.search(url.strip()):
        return url.strip()
    safe = safe_url(url)
    return "" if safe.lower().startswith(("mailto:", "tel:", "#", "?")) else safe


def telephone_url(number: str) -> str:
    digits = re.sub(r"[^0-9+]", "", number)
    return f"tel:{digits}" if len(digits) >= 3 else ""


def _plain_text(html: str) -> str:
    text = "\n".join(line.strip() for line in _TAG.sub(" ", html).splitlines())
    paragraphs = (each.strip() for each in re.split(r"\n{2,}", text))
    return "".join(f"<p>{escape(each)}</p>" for each in paragraphs if each)


def _allowed(_tag: str, name: str, value: str) -> str | None:
    if name == "href":
        return safe_url(value) or None
    if name == "src":
        stripped = value.strip()
        return stripped if _MEDIA.fullmatch(stripped) else image_url(value) or None
    if name == "class":
        return value if value in ALIGNMENTS else None
    if name == "target":
        return value if value == "_blank" else None
    if name in _NUMBERS:
        return value if re.fullmatch(r"[0-9]{1,4}", value) else None
    return value


def _picture(image: re.Match[str], picture: Callable[[str, str], str] | None) -> str:
    alt = _ALT.search(image[0])
    return "" if picture is None else picture(image[1], "" if alt is None else unescape(alt[1]))


def _with_alt(image: re.Match[str]) -> str:
    return image[0] if ' alt="' in image[0] else image[0] + ' alt=""'


_CLEANER = nh3.Cleaner(  # created once: for short texts, that takes longer than cleaning
    tags=TEXT_TAGS,
    clean_content_tags={"script", "style"},
    attributes=TEXT_ATTRIBUTES,
    attribute_filter=_allowed,
    url_schemes=SCHEMES | {"data", "media"},
    link_rel="noopener",
    set_tag_attribute_values={"img": {"loading": "lazy"}},
)
