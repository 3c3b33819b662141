"""The ready-made sections, loaded and validated at start-up."""

from functools import lru_cache
from importlib.resources import files
from typing import Any

import msgspec
import msgspec.yaml

from sitewright.sites.content.sections.schemas import Section, SectionBlock, SectionWidget
from sitewright.sites.content.widget_types.parsing import parse_value
from sitewright.sites.content.widget_types.service import DEFAULT_LANGUAGE, LANGUAGES, localized, widget_type

_FOLDER = files("sitewright.sites.content.sections")


@lru_cache
def sections_in(language: str) -> list[Section]:
    """The sections with texts in a language: one of `LANGUAGES`, else the default."""
    text = (_FOLDER / "sections.yaml").read_text(encoding="utf-8")
    return read_sections(text, language if language in LANGUAGES else DEFAULT_LANGUAGE)


def read_sections(text: str, language: str = DEFAULT_LANGUAGE) -> list[Section]:
    """Load the sections from `text`, with the texts of a language; raises ValueError for an invalid one."""
    return [
        Section(each["name"], each["title"], each["description"], [_widget(widget) for widget in each["widgets"]])
        for each in localized(msgspec.yaml.decode(text), language)
    ]


def find_section(name: str, language: str) -> Section | None:
    return next((each for each in sections_in(language) if each.name == name), None)


@lru_cache
def picture_of(name: str) -> str:
    """A small drawing of a section, as SVG in the color of the text around it."""
    return (_FOLDER / "pictures" / f"{name}.svg").read_text(encoding="utf-8")


def _widget(written: dict[str, Any]) -> SectionWidget:
    block = _block(written)
    columns = [[_block(each) for each in column] for column in written.get("columns", [])]
    return SectionWidget(block.type, block.values, columns)


def _block(written: dict[str, Any]) -> SectionBlock:
    """A widget with its values as they are stored: a list becomes JSON."""
    known = widget_type(written["type"])
    if known is None:
        raise ValueError(f"{written['type']} is not a known type")
    values = {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in written.get("values", {}).items()
    }
    described = {each.name: each for each in known.values}
    for name, value in values.items():
        if name not in described:
            raise ValueError(f"{known.type} has no value {name}")
        parse_value(described[name], value)
    return SectionBlock(known.type, values)


SECTIONS = sections_in(DEFAULT_LANGUAGE)
NAMES = frozenset(each.name for each in SECTIONS)
