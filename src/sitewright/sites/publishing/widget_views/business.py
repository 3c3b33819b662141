"""Views of what a business says about itself: opening hours, prices, testimonials, people, downloads."""

import re
from urllib.parse import unquote, urlsplit

from sitewright.sites.publishing.local_formats import days_text, time_range
from sitewright.sites.publishing.sanitizing import safe_url, telephone_url
from sitewright.sites.publishing.widget_views.page_state import Builder, PageState, Values, View, lines_of

PORTRAIT = "5rem"
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,5})\Z")
_EMAIL = re.compile(r"[^\s@<>\"'?&]+@[^\s@<>\"'?&]+")


def ranges_of(times: str) -> list[tuple[str, str]]:
    """The ranges of a parsed value of the type `times`."""
    return [(each[:5], each[6:]) for each in times.split(",") if each]


def _opening_hours(page: PageState, values: Values, _depth: int) -> View | None:
    rows = [
        {
            "days": days_text(page.language, each["days"].split(",")),
            "times": [] if each["closed"] == "1" else _times(page.language, each["times"]),
            "is_closed": each["closed"] == "1" or not (each["times"] or each["note"].strip()),
            "note": each["note"].strip(),
        }
        for each in values["hours"]
        if each["days"]
    ]
    return {"rows": rows, "title": values["title"].strip(), "note": lines_of(values["note"])} if rows else None


def _times(language: str, times: str) -> list[str]:
    return [time_range(language, opens, closes) for opens, closes in ranges_of(times)]


def _prices(_page: PageState, values: Values, _depth: int) -> View | None:
    prices = [
        {name: each[name].strip() for name in ("name", "price", "unit", "button")}
        | {"text": lines_of(each["text"]), "features": lines_of(each["features"])}
        | {"url": safe_url(each["url"]), "is_highlighted": each["highlighted"] == "1"}
        for each in values["prices"]
    ]
    shown = [each for each in prices if each["name"]]
    return {"prices": shown, "style": values["style"], "columns": values["columns"]} if shown else None


def _testimonials(page: PageState, values: Values, _depth: int) -> View | None:
    listed = [
        {"quote": lines_of(each["quote"]), "name": each["name"].strip(), "role": each["role"].strip()}
        | {"picture": page.picture(each["image"], PORTRAIT)}
        for each in values["testimonials"]
        if each["quote"].strip()
    ]
    return {"testimonials": listed, "columns": values["columns"]} if listed else None


def _team(page: PageState, values: Values, _depth: int) -> View | None:
    people = [
        {name: each[name].strip() for name in ("name", "role", "phone")}
        | {"text": lines_of(each["text"]), "picture": page.picture(each["image"], "(min-width: 40rem) 20rem, 100vw")}
        | {"email": _email(each["email"]), "phone_url": telephone_url(each["phone"])}
        for each in values["people"]
        if each["name"].strip()
    ]
    return {"people": people, "columns": values["columns"]} if people else None


def _downloads(_page: PageState, values: Values, _depth: int) -> View | None:
    files = [(each, safe_url(each["url"])) for each in values["files"]]
    shown = [
        {"url": url, "title": each["title"].strip() or _file_name(url), "text": lines_of(each["text"])}
        | {"size": each["size"].strip(), "format": _format(url)}
        for each, url in files
        if url and not url.startswith(("mailto:", "tel:", "#"))
    ]
    return {"files": shown} if shown else None


def _email(text: str) -> str:
    return text.strip() if _EMAIL.fullmatch(text.strip()) else ""


def _file_name(url: str) -> str:
    return unquote(_path(url).rstrip("/").rpartition("/")[2]) or url


def _format(url: str) -> str:
    """The file's extension in capitals; empty where it has none."""
    found = _EXTENSION.search(_path(url))
    return found[1].upper() if found else ""


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:  # an invalid host
        return ""


BUILDERS: dict[str, Builder] = {
    "openingHours": _opening_hours,
    "prices": _prices,
    "testimonials": _testimonials,
    "team": _team,
    "downloads": _downloads,
}
