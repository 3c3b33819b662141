"""Which widget types there are, read and checked when the service starts, and what values mean to them."""

from importlib.resources import files
from types import MappingProxyType

import msgspec
import yaml

from sitewright.sites.content.schemas import WidgetType, WidgetTypeValue
from sitewright.sites.content.widget_types.reading import Read, read_value

PREFIX = "widget."


def read_types(text: str) -> list[WidgetType]:
    """The types written in `text`; raises ValueError for one that does not hold together."""
    types = msgspec.convert(yaml.safe_load(text), list[WidgetType])
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
        raise ValueError(f"{where}: a name stands twice" + (", perhaps as another name of a value" if shared else ""))


def _check_value(where: str, value: WidgetTypeValue) -> None:
    if (value.type == "integer") != (None not in (value.minimum, value.maximum)):
        raise ValueError(f"{where}.{value.name}: an integer, and nothing else, has a minimum and a maximum")
    if (value.type == "choice") != bool(value.choices) or (value.type == "list") != bool(value.items):
        raise ValueError(f"{where}.{value.name}: a choice has choices and a list has items, and nothing else does")
    for text in (value.default, value.example):
        try:
            read_value(value, text)
        except ValueError as error:
            raise ValueError(f"{where}.{value.name}: {text!r} cannot be read: {error}") from None


TYPES = read_types((files("sitewright.sites.content.widget_types") / "types.yaml").read_text(encoding="utf-8"))
_BY_NAME = MappingProxyType({each.type: each for each in TYPES})


def widget_type(name: str) -> WidgetType | None:
    """`widget.content` and `content` mean the same."""
    return _BY_NAME.get(name if name.startswith(PREFIX) else PREFIX + name)


def read_values(of: WidgetType, values: dict[str, str]) -> tuple[dict[str, Read], list[str]]:
    """What `values` mean to this type, with defaults where they say nothing; and the names that could not be read."""
    read: dict[str, Read] = {}
    wrong = []
    for about in of.values:
        name = next((name for name in (about.name, *about.also) if name in values), None)
        try:
            read[about.name] = read_value(about, about.default if name is None else values[name])
        except ValueError:
            read[about.name] = read_value(about, about.default)
            wrong.append(name or about.name)
    return read, wrong
