"""Reads an OpenAPI document: the operations of the API, and the Python types of their schemas."""

import builtins
import keyword
import re
import textwrap
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
_PREFIX = "#/components/schemas/"
_TYPES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-.]")
JSON = "application/json"


class Document:
    """The part of a document that is the API: operations that need credentials, and the schemas that they use."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.components: dict[str, Schema] = document["components"]["schemas"]
        self.names = _class_names(self._used())

    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Method, path and operation of each."""
        for path, methods in self._document["paths"].items():
            for method, operation in methods.items():
                if operation.get("security") != []:
                    yield method.upper(), path, operation

    def resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.components[schema["$ref"].removeprefix(_PREFIX)]
        return schema

    def parameter(self, parameter: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in parameter:
            found: dict[str, Any] = self._document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
            return found
        return parameter

    def python_type(self, schema: Schema, prefix: str = "") -> str:
        """`prefix` stands before the names of models."""
        if "$ref" in schema:
            return prefix + self.names[schema["$ref"].removeprefix(_PREFIX)]
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            return f"Literal[{', '.join(repr(value) for value in values)}]"
        if "anyOf" in schema:
            parts = dict.fromkeys(self.python_type(part, prefix) for part in schema["anyOf"])
            return " | ".join(sorted(parts, key=lambda part: part == "None"))
        return self._plain_type(schema, prefix)

    def _plain_type(self, schema: Schema, prefix: str) -> str:
        match schema.get("type"):
            case "array":
                return f"list[{self.python_type(schema.get('items', {}), prefix)}]"
            case "object":
                values = schema.get("additionalProperties")
                return f"dict[str, {self.python_type(values, prefix) if isinstance(values, dict) else 'Any'}]"
            case str() as kind:
                return _TYPES[kind]
        return "Any"

    def _used(self) -> list[str]:
        """The names of the schemas that operations use, directly or indirectly."""
        found: dict[str, None] = {}
        waiting = [name for _, _, operation in self.operations() for name in _references(_bodies(operation))]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = None
                waiting += _references(self.components[name])
        return sorted(found)


def snake(name: str) -> str:
    words = "_".join(word.lower() for word in _WORDS.split(name) if word)
    return f"{words}_" if keyword.iskeyword(words) or hasattr(builtins, words) else words


def success(operation: dict[str, Any]) -> dict[str, Any]:
    """The response of a call that was carried out: the first one below 400, apart from 102."""
    found: dict[str, Any] = next(
        response for status, response in operation["responses"].items() if 200 <= int(status) < 400
    )
    return found


def _bodies(operation: dict[str, Any]) -> list[Any]:
    return [operation.get("requestBody", {}), success(operation)]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str) and value["$ref"].startswith(_PREFIX):
            yield value["$ref"].removeprefix(_PREFIX)
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)


def _class_names(schemas: list[str]) -> dict[str, str]:
    """A schema's name is the last part of its dotted one; where two are the same, both begin with their feature."""
    last = [name.rpartition(".")[2] for name in schemas]
    return {
        name: short if last.count(short) == 1 else _feature(name) + short
        for name, short in zip(schemas, last, strict=True)
    }


def _feature(name: str) -> str:
    """`AccountPackages` for `sitewright.accounts.account_packages.schemas.AccountPackage`."""
    feature = name.split(".")[-3]
    return "".join(word.title() for word in feature.split("_"))


def docstring(*paragraphs: str, indent: str = "    ") -> str:
    """A docstring of lines of at most 118 characters."""
    plain = [" ".join(each.replace("\\", "\\\\").replace('"""', "'''").split()) for each in paragraphs if each]
    text = ("\n\n").join(
        textwrap.fill(each, 118, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
        for each in ['"""' + plain[0], *plain[1:]]
    )
    is_short = "\n" not in text and len(text) < 116 and not text.endswith('"')
    return text + ('"""' if is_short else f'\n{indent}"""')
