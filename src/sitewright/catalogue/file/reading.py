"""A YAML file into a `Catalogue`, remembering on which line everything stands.

Of YAML's scalars only null, true, false and plain integers are not text: `no` is Norwegian, `9.99` an exact amount.
"""

import re
from typing import Any

import msgspec
import yaml

from sitewright.catalogue.file.errors import CatalogueRefused, Fault
from sitewright.catalogue.file.shapes import Catalogue
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse

_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq")}


class Source:
    """Plain values of a file, and the line of each place in it (`brands[0].packages[2].name`)."""

    def __init__(self, text: str) -> None:
        self.lines: dict[str, int] = {}
        self.faults: list[Fault] = []
        self.values: dict[str, Any] = {}
        try:
            node = _Loader(text).get_single_node()
            values = {} if node is None else self._value(node, "")
        except yaml.MarkedYAMLError as error:
            line = None if error.problem_mark is None else error.problem_mark.line + 1
            raise CatalogueRefused([Fault(line, "", f"not YAML: {error.problem or error.context}")]) from None
        except (yaml.YAMLError, RecursionError) as error:
            raise CatalogueRefused([Fault(None, "", f"not YAML: {str(error) or 'too deep'}")]) from None
        if isinstance(values, dict):
            self.values = values
        else:
            self.refuse("", "the file must be a mapping: languages, currencies, brands and so on")

    def refuse(self, place: str, message: str) -> None:
        self.faults.append(Fault(self.line_of(place), place, message))

    def line_of(self, place: str) -> int | None:
        """The line of a place, or of the nearest thing around it that the file has."""
        while place and place not in self.lines:
            place = place[: max(place.rfind("."), place.rfind("["), 0)]
        return self.lines.get(place)

    def _value(self, node: yaml.Node, place: str) -> Any:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if node.tag not in _TAGS:
            self.refuse(place, f"the tag {node.tag} is not understood")
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, f"{place}[{index}]") for index, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            inside = f"{place}.{key}" if place else key
            if key in values:
                self.faults.append(Fault(key_node.start_mark.line + 1, inside, "stands twice"))
            self.lines.setdefault(inside, key_node.start_mark.line + 1)
            values[key] = self._value(value_node, inside)
        return values


class _Loader(yaml.BaseLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not understood; write it out", mark)
        return super().compose_node(parent, index)


def _scalar(node: Any) -> Any:
    text: str = node.value
    if node.style is not None:  # in quotes: text, whatever it looks like
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def read(source: Source) -> Catalogue | None:
    """Every field known and of its type, else None; whether they make sense together is for `checks`."""
    _refuse_unknown(source, Catalogue, source.values, "")
    try:
        return parse(Catalogue, source.values)
    except Invalid as invalid:
        for place, failures in invalid.errors.items():
            source.refuse(place, next(iter(failures.values())))
        return None


def _refuse_unknown(source: Source, shape: type[msgspec.Struct], values: dict[str, Any], place: str) -> None:
    """A typo would otherwise be passed over in silence."""
    described = {field.encode_name: field.type for field in msgspec.structs.fields(shape)}
    for name, value in values.items():
        inside = f"{place}.{name}" if place else name
        if name not in described:
            source.refuse(inside, f"there is no such field; there are {', '.join(described)}")
            continue
        nested = shape_in(described[name])
        items = [(inside, value)] if isinstance(value, dict) else []
        if isinstance(value, list):
            items = [(f"{inside}[{index}]", item) for index, item in enumerate(value)]
        for where, item in items:
            if nested is not None and isinstance(item, dict):
                _refuse_unknown(source, nested, item, where)


def shape_in(kind: Any) -> type[msgspec.Struct] | None:
    """The shape that a field of this type holds, also in a list, where it may be null, or with a description."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    found = (shape_in(each) for each in getattr(kind, "__args__", ()))
    return next((each for each in found if each is not None), None)
