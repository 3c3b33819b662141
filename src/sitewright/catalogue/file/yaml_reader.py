"""Read a YAML file into a `Catalogue`, recording the line of every value for error messages.

Only null, true, false and plain integers are typed; every other scalar is text: `no` is Norwegian, `9.99` an amount.
"""

import re
from typing import Any

import msgspec
import yaml

from sitewright.catalogue.file.errors import FileError, InvalidCatalogue
from sitewright.catalogue.file.schemas import Catalogue
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse

_CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq")}


class Source:
    """The parsed values of a file, the line of each path in it (`brands[0].packages[2].name`), and its errors."""

    def __init__(self, text: str) -> None:
        self.lines: dict[str, int] = {}
        self.errors: list[FileError] = []
        self.values: dict[str, Any] = {}
        try:
            node = _Loader(text).get_single_node()
            values = {} if node is None else self._value(node, "")
        except yaml.MarkedYAMLError as error:
            line = None if error.problem_mark is None else error.problem_mark.line + 1
            raise InvalidCatalogue([FileError(line, "", f"not YAML: {error.problem or error.context}")]) from None
        except (yaml.YAMLError, RecursionError) as error:
            raise InvalidCatalogue([FileError(None, "", f"not YAML: {str(error) or 'too deep'}")]) from None
        if isinstance(values, dict):
            self.values = values
        else:
            self.add_error("", "the file must be a mapping: languages, currencies, brands and so on")

    def add_error(self, path: str, message: str) -> None:
        self.errors.append(FileError(self.line_of(path), path, message))

    def line_of(self, path: str) -> int | None:
        """Return the line of a path, or of its nearest parent that the file has."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path)

    def _value(self, node: yaml.Node, path: str) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if node.tag not in _TAGS:
            self.add_error(path, f"the tag {node.tag} is not supported")
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, f"{path}[{index}]") for index, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        return _scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            inside = f"{path}.{key}" if path else key
            if key in values:
                self.errors.append(FileError(key_node.start_mark.line + 1, inside, "appears twice"))
            self.lines.setdefault(inside, key_node.start_mark.line + 1)
            values[key] = self._value(value_node, inside)
        return values


class _Loader(yaml.BaseLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not supported; write it out", mark)
        return super().compose_node(parent, index)


def _scalar(node: Any) -> Any:
    text: str = node.value
    if node.style is not None:  # quoted scalars are always text
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def read(source: Source) -> Catalogue | None:
    """Return the catalogue when every field is known and well-typed, else None; `checks` verifies consistency."""
    _check_unknown_fields(source, Catalogue, source.values, "")
    try:
        return parse(Catalogue, source.values)
    except Invalid as invalid:
        for path, failures in invalid.errors.items():
            source.add_error(path, next(iter(failures.values())))
        return None


def _check_unknown_fields(source: Source, schema: type[msgspec.Struct], values: dict[str, Any], path: str) -> None:
    """Report unknown fields, so that a typo is not ignored silently."""
    described = {field.encode_name: field.type for field in msgspec.structs.fields(schema)}
    for name, value in values.items():
        inside = f"{path}.{name}" if path else name
        if name not in described:
            source.add_error(inside, f"there is no such field; there are {', '.join(described)}")
            continue
        nested = schema_in(described[name])
        items = [(inside, value)] if isinstance(value, dict) else []
        if isinstance(value, list):
            items = [(f"{inside}[{index}]", item) for index, item in enumerate(value)]
        for where, item in items:
            if nested is not None and isinstance(item, dict):
                _check_unknown_fields(source, nested, item, where)


def schema_in(kind: Any) -> type[msgspec.Struct] | None:
    """Find the struct inside a field's type, also in a list, an optional or an annotated type."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    found = (schema_in(each) for each in getattr(kind, "__args__", ()))
    return next((each for each in found if each is not None), None)
