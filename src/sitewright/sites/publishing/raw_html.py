"""Pictures of the media library in raw HTML and scripts, which are otherwise printed unchanged."""

import re

from markupsafe import escape

from sitewright.sites.publishing.pictures import Pictures

_MEDIA = r"media:[1-9][0-9]{0,17}"
_IMG = re.compile(r"""<img(?=[\s/])(?:[^<>"']++|"[^"<>]*+"|'[^'<>]*+')*+>""", re.IGNORECASE)
"""Without angle brackets in attributes, which bounds the search for the end of a tag that has none."""
_SRC = re.compile(rf"""\ssrc\s*+=\s*+(["'])\s*+({_MEDIA})\s*+\1""", re.IGNORECASE)
_QUOTED = re.compile(rf"""(["'])({_MEDIA})\1""")
_ALT = re.compile(r"\salt(?=[\s=/>])", re.IGNORECASE)
_SIZE = re.compile(r"\s(?:width|height)(?=[\s=/>])", re.IGNORECASE)


def with_pictures(html: str, pictures: Pictures) -> str:
    """Replace `media:<ref>` in quotation marks with the address of a variant.

    An `img` also gets the alternative text and the size of the picture, unless it has its own. A picture that was
    deleted leaves nothing: no `img`, and elsewhere an empty address.
    """
    if "media:" not in html:
        return html
    with_images = _IMG.sub(lambda tag: _image(tag[0], pictures), html)
    return _QUOTED.sub(lambda found: f"{found[1]}{_address(found[2], pictures)}{found[1]}", with_images)


def _image(tag: str, pictures: Pictures) -> str:
    source = _SRC.search(tag)
    if source is None:
        return tag
    picture = pictures.find(source[2])
    if picture is None:
        return ""
    added = {"src": picture.src}
    if _ALT.search(tag) is None:
        added["alt"] = picture.alt
    if _SIZE.search(tag) is None:
        added |= {"width": str(picture.width), "height": str(picture.height)}
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in added.items())
    return tag[: source.start()] + attributes + tag[source.end() :]


def _address(value: str, pictures: Pictures) -> str:
    picture = pictures.find(value)
    return "" if picture is None else picture.src
