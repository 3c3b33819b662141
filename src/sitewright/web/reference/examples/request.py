"""The example request of an operation, from the OpenAPI document, declared examples and known values."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from sitewright.kit.http.call import FORM, JSON
from sitewright.kit.http.openapi import Document
from sitewright.kit.http.openapi.schemas import Schema, resolved
from sitewright.web.reference.examples.declared import DECLARED, OWN_SOURCES, SOURCES, Declared, Source

Values = Mapping[str, Any]
"""Known values of path parameters and body fields, by name, or by feature and name: `users.packageRef`."""
FILE_TYPE = "image/png"
"""Of the file that examples upload, as it is, where an operation takes files."""
FOR_BROWSERS = ("text/html", "image/", "font/", "*/*")
"""Media types of what browsers load."""
SESSION_AREA = "/account/"
"""Calls below it are made by the scripts of its pages, with the session cookie of the account holder."""
NOTHING = Declared()
_ID_FIELDS = ("ref", "id")


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """An operation of the document."""

    id: str
    feature: str
    method: str
    path: str
    described: dict[str, Any]
    document: Document

    @property
    def declared(self) -> Declared:
        return DECLARED.get(self.id, NOTHING)

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """Path, query and header parameters, references resolved."""
        shared = self.document["components"]["parameters"]
        return [
            shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in self.described["parameters"]
        ]

    @property
    def path_names(self) -> list[str]:
        return [each["name"] for each in self.parameters if each["in"] == "path"]

    @property
    def status(self) -> int:
        return int(next(iter(self.described["responses"])))

    @property
    def response(self) -> dict[str, Any]:
        """The content of a successful response by media type."""
        content: dict[str, Any] = next(iter(self.described["responses"].values())).get("content", {})
        return content

    @property
    def is_public(self) -> bool:
        return self.described.get("security") == []

    @property
    def is_for_browsers(self) -> bool:
        """Pages for people, the files that they load and the calls of their scripts, which have no examples."""
        redirects, needs_session = "303" in self.described["responses"], self.path.startswith(SESSION_AREA)
        loads = any(each.startswith(FOR_BROWSERS) for each in self.response)
        return self.is_public and (redirects or needs_session or loads)

    @property
    def body(self) -> tuple[str, dict[str, Any]] | None:
        """The media type that examples send, and its content."""
        content: dict[str, Any] = self.described.get("requestBody", {}).get("content", {})
        chosen = next((each for each in (JSON, FORM) if each in content), next(reversed(content), None))
        return None if chosen is None else (chosen, content[chosen])


class ExampleRequest(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    """With its query, percent-encoded."""
    is_public: bool
    body: Any = None
    file_type: str | None = None
    """The media type of a file that is sent instead of a JSON body."""


def operations_of(document: Document) -> dict[str, Operation]:
    """All operations by id."""
    return {
        described["operationId"]: Operation(
            id=described["operationId"],
            feature=described["tags"][0],
            method=method.upper(),
            path=path,
            described=described,
            document=document,
        )
        for path, operations in document["paths"].items()
        for method, described in operations.items()
    }


def example_request(operation: Operation, values: Values) -> ExampleRequest:
    path, values = operation.path, dict(values) | operation.declared.path
    for each in operation.parameters:
        value = _known(each["name"], operation, values, each["example"])
        path = path.replace(f"{{{each['name']}}}", quote(str(value), safe=""))
    query = _query(operation, values)
    body = operation.body
    return ExampleRequest(
        method=operation.method,
        path=f"{path}?{urlencode(query)}" if query else path,
        is_public=operation.is_public,
        body=None if body is None or body[0] not in (JSON, FORM) else _body(operation, body[1], values),
        file_type=None if body is None or body[0] in (JSON, FORM) else FILE_TYPE,
    )


def sources_of(operation: Operation, operations: Mapping[str, Operation]) -> dict[str, Source]:
    """Where the values of its path parameters and body fields come from, by name; others are chosen by the caller."""
    names = [name for name in (*operation.path_names, *_body_names(operation)) if name not in operation.declared.path]
    found = {name: _source(name, operation, operations) for name in names}
    return {name: source for name, source in found.items() if source is not None}


def _source(name: str, operation: Operation, operations: Mapping[str, Operation]) -> Source | None:
    source = OWN_SOURCES.get((name, operation.feature)) or SOURCES.get(name) or _derived(name, operation, operations)
    return None if source is None or source.operation == operation.id else source


def _derived(name: str, operation: Operation, operations: Mapping[str, Operation]) -> Source | None:
    """The POST on the path before the parameter: `/sites/{siteRef}/pages` for `pageRef`."""
    parameter = f"/{{{name}}}"
    if parameter not in operation.path and not name.endswith("Ref"):
        return None
    before = {each.path.partition(parameter)[0] for each in operations.values() if parameter in each.path}
    for each in operations.values():
        if each.method == "POST" and each.path in before:
            field = _id_field(each.response.get(JSON, {}).get("example"), name)
            return None if field is None else Source(each.id, field)
    return None


def _id_field(example: Any, name: str) -> str | None:
    """The path of the field with the ref: `page.ref`, `id`, or a field with the parameter's own name."""
    if not isinstance(example, dict):
        return None
    for key in (name, *_ID_FIELDS):
        if key in example and not isinstance(example[key], dict | list):
            return key
    nested = ((key, _id_field(value, name)) for key, value in example.items() if isinstance(value, dict))
    return next((f"{key}.{field}" for key, field in nested if field is not None), None)


def _body_names(operation: Operation) -> list[str]:
    body = operation.body
    example = None if body is None else _body(operation, body[1], {})
    if not isinstance(example, dict):
        return []
    inner = [name for value in example.values() if isinstance(value, dict) for name in value if name.endswith("Ref")]
    return [*example, *inner]


def _known(name: str, operation: Operation, values: Values, default: Any) -> Any:
    return values.get(f"{operation.feature}.{name}", values.get(name, default))


def _query(operation: Operation, values: Values) -> dict[str, Any]:
    required = {
        each["name"]: _known(each["name"], operation, values, each["example"])
        for each in operation.parameters
        if each["in"] == "query" and each.get("required")
    }
    return required | operation.declared.query


def _body(operation: Operation, content: dict[str, Any], values: Values) -> Any:
    """The declared body, or the required fields, or all of them; with the known values."""
    example = operation.declared.body or _required(content, operation.document["components"]["schemas"])
    if not isinstance(example, dict):
        return example
    return {name: _known(name, operation, values, _with_refs(value, values)) for name, value in example.items()}


def _with_refs(value: Any, values: Values) -> Any:
    """An object inside the body with the known refs."""
    if not isinstance(value, dict):
        return value
    return {name: values.get(name, each) if name.endswith("Ref") else each for name, each in value.items()}


def _required(content: dict[str, Any], schemas: dict[str, Schema]) -> Any:
    example = content.get("example")
    required = resolved(content["schema"], schemas).get("required", [])
    return {name: example[name] for name in required} if required and isinstance(example, dict) else example
