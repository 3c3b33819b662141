"""The known widget types, loaded and validated at start-up, and parsing of their values."""

from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import msgspec
import msgspec.yaml

from sitewright.sites.content.schemas import WidgetType, WidgetTypeItem, WidgetTypeValue
from sitewright.sites.content.widget_types.parsing import ParsedValue, parse_value

PREFIX = "widget."
LANGUAGES = ("en", "de", "es", "fr", "pt")
DEFAULT_LANGUAGE = "en"
_FOLDER = files("sitewright.sites.content.widget_types")


def read_types(text: str, language: str = DEFAULT_LANGUAGE) -> list[WidgetType]:
    """Load the types from `text`, with the titles of a language; raises ValueError for an inconsistent one."""
    types = msgspec.convert(localized(msgspec.yaml.decode(text), language), list[WidgetType])
    _check_unique("type", [each.type for each in types])
    for each in types:
        if not each.type.startswith(PREFIX):
            raise ValueError(f"{each.type} does not begin with {PREFIX}")
        _check_unique(each.type, [name for value in each.values for name in (value.name, *value.also)], shared=True)
        for value in each.values:
            _check_value(each.type, value)
    return types


def localized(node: Any, language: str) -> Any:
    """Replace every text that is given in each language by that of one language."""
    if isinstance(node, list):
        return [localized(each, language) for each in node]
    if not isinstance(node, dict):
        return node
    if set(node) == set(LANGUAGES):
        return node[language]
    return {name: localized(each, language) for name, each in node.items()}


def _check_unique(where: str, names: list[str], *, shared: bool = False) -> None:
    if len(names) != len(set(names)):
        raise ValueError(f"{where}: a name appears twice" + (", perhaps as an alias of a value" if shared else ""))


def _check_value(where: str, value: WidgetTypeValue) -> None:
    fields: list[WidgetTypeValue | WidgetTypeItem] = [value, *value.items]
    for each in fields:
        _check_choices(f"{where}.{each.name}", each)
    if (value.type == "integer") != (None not in (value.minimum, value.maximum)):
        raise ValueError(f"{where}.{value.name}: an integer, and nothing else, has a minimum and a maximum")
    if (value.type == "list") != bool(value.items):
        raise ValueError(f"{where}.{value.name}: a list, and nothing else, has items")
    for text in (value.default, value.example):
        try:
            parse_value(value, text)
        except ValueError as error:
            raise ValueError(f"{where}.{value.name}: {text!r} cannot be read: {error}") from None


def _check_choices(where: str, value: WidgetTypeValue | WidgetTypeItem) -> None:
    if (value.type == "choice") != bool(value.choices):
        raise ValueError(f"{where}: a choice, and nothing else, has choices")
    if len(value.choice_titles) != len(value.choices) and not _has_numbered_titles(value):
        raise ValueError(f"{where}: each choice has a title; an integer has one for each number, or none")


def _has_numbered_titles(value: WidgetTypeValue | WidgetTypeItem) -> bool:
    if not isinstance(value, WidgetTypeValue) or value.minimum is None or value.maximum is None:
        return False
    return len(value.choice_titles) == value.maximum - value.minimum + 1


@lru_cache
def types_in(language: str) -> list[WidgetType]:
    """The types with titles in a language: one of `LANGUAGES`, else the default."""
    text = (_FOLDER / "types.yaml").read_text(encoding="utf-8")
    return read_types(text, language if language in LANGUAGES else DEFAULT_LANGUAGE)


@lru_cache
def picture_of(name: str) -> str | None:
    """A small drawing of a known type, as SVG in the color of the text around it; None for other types."""
    known = widget_type(name)
    if known is None:
        return None
    return (_FOLDER / "pictures" / f"{known.type.removeprefix(PREFIX)}.svg").read_text(encoding="utf-8")


TYPES = types_in(DEFAULT_LANGUAGE)
_BY_NAME = MappingProxyType({each.type: each for each in TYPES})


def widget_type(name: str) -> WidgetType | None:
    """Find a type by name; the prefix `widget.` is optional."""
    return _BY_NAME.get(name if name.startswith(PREFIX) else PREFIX + name)


def parse_values(of: WidgetType, values: dict[str, str]) -> tuple[dict[str, ParsedValue], list[str]]:
    """Parse `values` for this type, with defaults for missing or invalid ones; also return the invalid names."""
    read: dict[str, ParsedValue] = {}
    wrong = []
    for about in of.values:
        name = next((name for name in (about.name, *about.also) if name in values), None)
        try:
            read[about.name] = parse_value(about, about.default if name is None else values[name])
        except ValueError:
            read[about.name] = parse_value(about, about.default)
            wrong.append(name or about.name)
    return read, wrong
