"""View models for templates. Their values are already selected, sanitized and sorted, so templates only print them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, quote_plus

import msgspec

from sitewright.sites.publishing.pictures import Loading, Picture, Pictures
from sitewright.sites.publishing.render_input import HOME
from sitewright.sites.publishing.sanitizing import safe_url, telephone_url

MAP = "https://www.openstreetmap.org/search?query="
ADDRESS = (("address1",), ("address2",), ("postalcode", "city", "state"), ("country",))
"""The profile fields of each address line."""
NOT_LINKS = frozenset({
    "business", "headline", "strapline", "companydescription", "copyright", "email", "address", "phone", "rss", "logo",
    "logowidth", "logoheight", "featureimage", *(name for names in ADDRESS for name in names),
})  # fmt: skip
MAX_LINKS = 20


class Link(msgspec.Struct, frozen=True):
    name: str
    url: str


class Logo(msgspec.Struct, frozen=True):
    src: str
    width: int | None
    height: int | None


class Business(msgspec.Struct, frozen=True, kw_only=True):
    """The profile as a view model. Missing texts are empty."""

    name: str
    headline: str
    strapline: str
    description: str
    copyright: str
    phone: str
    phone_url: str
    email: str
    address_lines: list[str]
    map_url: str
    logo: Logo | None
    feature_image: str
    feature_picture: Picture | None
    share_image: str
    """The feature image as a complete URL, for previews of links; empty where it has none."""
    rss: str
    links: list[Link]

    @property
    def has_contact(self) -> bool:
        return bool(self.phone or self.email or self.address_lines)

    @property
    def initial(self) -> str:
        return next((letter.upper() for letter in self.name if letter.isalnum()), "")


class Part(msgspec.Struct, frozen=True):
    """A part of a template with its static values: shown unless `visible` is 0."""

    values: Mapping[str, str]

    @property
    def visible(self) -> bool:
        return self.values.get("visible", "1") != "0"

    @property
    def text(self) -> str:
        return self.values.get("text", "").strip()

    @property
    def url(self) -> str:
        return safe_url(self.values.get("url", ""))


class NavigationItem(msgspec.Struct):
    """A page in the navigation; `steps` are the pages below it."""

    title: str
    url: str
    path: str
    steps: list["NavigationItem"]


class Section(msgspec.Struct, frozen=True):
    """Widgets under one heading; the first section of a page may have none."""

    heading: dict[str, Any] | None
    widgets: list[dict[str, Any]]


class Swatches(msgspec.Struct, frozen=True):
    """The refs of the sets of colors and fonts of a page."""

    colours: int
    fonts: int


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """`heading` is the page's one h1, `title` what browsers and search engines show."""

    path: str
    heading: str
    title: str
    description: str
    keywords: str
    canonical: str
    is_home: bool
    swatches: Swatches
    sections: list[Section]
    footer: list[dict[str, Any]]
    headscript: str = ""
    bodyscript: str = ""
    is_listed: bool = True
    """Whether search engines may index it."""
    script_url: str = ""
    """The script that enhances widgets of the page; empty where it has none of those."""
    font_urls: list[str] = []
    """The bundled fonts that it needs first, to be preloaded."""


def business_of(profile: Mapping[str, str], pictures: Pictures | None = None, address: str = "") -> Business:
    """`address` is the site's URL, for the URLs of pictures of its own."""
    pictures = pictures or Pictures({})
    fields = {name: value.strip() for name, value in profile.items()}

    def text(name: str) -> str:
        return fields.get(name, "")

    lines = _address_lines(fields)
    feature = pictures.find(text("featureimage"))
    feature_image = "" if feature is None else feature.src
    is_own = bool(pictures.prefix) and feature_image.startswith(pictures.prefix)
    return Business(
        name=text("business"),
        headline=text("headline"),
        strapline=text("strapline"),
        description=text("companydescription"),
        copyright=text("copyright"),
        phone=text("phone"),
        phone_url=telephone_url(text("phone")),
        email=text("email"),
        address_lines=lines,
        map_url=map_url(", ".join(lines)),
        logo=_logo(pictures.find(text("logo")), _size(text("logowidth")), _size(text("logoheight"))),
        feature_image=feature_image,
        feature_picture=None if feature is None else Loading().placed(feature, "100vw"),
        share_image=address + feature_image if address and is_own else _web(feature_image),
        rss=safe_url(text("rss")),
        links=_links(fields),
    )


def _logo(picture: Picture | None, width: int | None, height: int | None) -> Logo | None:
    """A size of the profile counts; else that of the picture, in which case the style sheet bounds it."""
    if picture is None:
        return None
    if width is None and height is None:
        width, height = picture.width, picture.height
    return Logo(picture.src, width, height)


def _web(url: str) -> str:
    return url if url.startswith("http") else ""


def map_url(address: str) -> str:
    return MAP + quote_plus(" ".join(address.split())) if address else ""


def page_url(path: str) -> str:
    """Return the path of a page in URLs."""
    return "/" if path.lower() in ("", HOME) else "/" + quote(path.lower(), safe="/~")


def _address_lines(fields: Mapping[str, str]) -> list[str]:
    whole = [line.strip() for line in fields.get("address", "").splitlines() if line.strip()]
    return whole or [
        line for line in (" ".join(fields[name] for name in names if fields.get(name)) for names in ADDRESS) if line
    ]


def _links(fields: Mapping[str, str]) -> list[Link]:
    """Return the links of the profile: every other field whose value is a web URL, such as social networks."""
    found = [(name, value) for name, value in fields.items() if name not in NOT_LINKS]
    is_web = ("http://", "https://", "www.")
    links = [Link(_title(name), safe_url(value)) for name, value in found if value.lower().startswith(is_web)]
    return [link for link in links if link.url][:MAX_LINKS]


def _title(name: str) -> str:
    return name[:1].upper() + name[1:]


def _size(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text[:5]) <= 2000 and len(text) < 5 else None
