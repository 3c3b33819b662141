"""The known widget types, loaded and validated at start-up, and parsing of their values."""

from importlib.resources import files
from types import MappingProxyType

import msgspec
import msgspec.yaml

from sitewright.sites.content.schemas import WidgetType, WidgetTypeValue
from sitewright.sites.content.widget_types.parsing import ParsedValue, parse_value

PREFIX = "widget."


def read_types(text: str) -> list[WidgetType]:
    """Load the types from `text`; raises ValueError for an inconsistent one."""
    types = msgspec.yaml.decode(text, type=list[WidgetType])
    _check_unique("type", [each.type for each in types])
    for each in types:
        if not each.type.startswith(PREFIX):
            raise ValueError(f"{each.type} does not begin with {PREFIX}")
        _check_unique(each.type, [name for value in each.values for name in (value.name, *value.also)], shared=True)
        for value in each.values:
            _check_value(each.type, value)
    return types


def _check_unique(where: str, names: list[str], *, shared: bool = False) -> None:
    if len(names) != len(set(names)):
        raise ValueError(f"{where}: a name appears twice" + (", perhaps as an alias of a value" if shared else ""))


def _check_value(where: str, value: WidgetTypeValue) -> None:
    if (value.type == "integer") != (None not in (value.minimum, value.maximum)):
        raise ValueError(f"{where}.{value.name}: an integer, and nothing else, has a minimum and a maximum")
    if (value.type == "choice") != bool(value.choices) or (value.type == "list") != bool(value.items):
        raise ValueError(f"{where}.{value.name}: a choice has choices and a list has items, and nothing else does")
    for text in (value.default, value.example):
        try:
            parse_value(value, text)
        except ValueError as error:
            raise ValueError(f"{where}.{value.name}: {text!r} cannot be read: {error}") from None


TYPES = read_types((files("sitewright.sites.content.widget_types") / "types.yaml").read_text(encoding="utf-8"))
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
