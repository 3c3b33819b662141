"""View models of the document's operations, by feature."""

import json
import shlex
from typing import Any
from urllib.parse import urlencode

import msgspec

from sitewright.kit.http.call import FORM, JSON
from sitewright.kit.http.openapi import Document
from sitewright.kit.http.responses import PROBLEM_TYPE
from sitewright.web.reference.fields import FieldRow, field_row, field_rows
from sitewright.web.reference.problem_codes import codes_of


class ErrorRow(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    code: str
    title: str
    is_own: bool


class OperationView(msgspec.Struct, frozen=True, kw_only=True):
    anchor: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[tuple[str, FieldRow]]
    body: list[FieldRow]
    status: str
    response: list[FieldRow]
    errors: list[ErrorRow]
    field_codes: list[str]
    request_example: str
    response_example: str


class FeatureView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    operations: list[OperationView]


def features_of(document: Document) -> list[FeatureView]:
    by_tag: dict[str, list[OperationView]] = {tag["name"]: [] for tag in document["tags"]}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            by_tag[operation["tags"][0]].append(_view(document, method.upper(), path, operation))
    return [
        FeatureView(name=tag["name"], description=tag["description"], operations=by_tag[tag["name"]])
        for tag in document["tags"]
    ]


def _view(document: Document, method: str, path: str, operation: dict[str, Any]) -> OperationView:
    schemas = document["components"]["schemas"]
    parameters = [_parameter(document, each) for each in operation["parameters"]]
    bodies = operation.get("requestBody", {}).get("content", {})
    body = bodies.get(JSON) or bodies.get(FORM, {})
    status, success = next(iter(operation["responses"].items()))
    response = success.get("content", {}).get(JSON, {})
    return OperationView(
        anchor=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        description=operation["description"],
        parameters=[(each["in"], _parameter_row(each, schemas)) for each in parameters],
        body=list(field_rows(body.get("schema", {}), schemas)),
        status=status,
        response=list(field_rows(response.get("schema", {}), schemas)),
        errors=_errors(operation["responses"]),
        field_codes=_field_codes(operation["responses"]),
        request_example=_request_example(method, path, operation, parameters, body.get("example")),
        response_example=_pretty(response["example"]) if "example" in response else "",
    )


def _parameter(document: Document, parameter: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in parameter:
        return parameter
    shared: dict[str, Any] = document["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return shared


def _parameter_row(parameter: dict[str, Any], schemas: dict[str, Any]) -> FieldRow:
    schema = parameter["schema"] | {"description": parameter["description"], "examples": [parameter["example"]]}
    return field_row(parameter["name"], schema, schemas, required=parameter.get("required", False))


def _errors(responses: dict[str, Any]) -> list[ErrorRow]:
    return [
        ErrorRow(status=status, code=code, title=example["summary"], is_own=example["x-own"])
        for status, response in responses.items()
        for code, example in response.get("content", {}).get(PROBLEM_TYPE, {}).get("examples", {}).items()
    ]


def _field_codes(responses: dict[str, Any]) -> list[str]:
    content = responses.get("400", {}).get("content", {}).get(PROBLEM_TYPE)
    return [code for code in codes_of(content) if code not in content["examples"]] if content else []


def _request_example(
    method: str, path: str, operation: dict[str, Any], parameters: list[dict[str, Any]], body: Any
) -> str:
    for each in parameters:
        path = path.replace(f"{{{each['name']}}}", str(each["example"]))
    query = [
        (each["name"], each["example"])
        for each in parameters
        if each["in"] == "query" and (each["required"] or each["name"] == "limit")
    ]
    address = f"{path}?{urlencode(query)}" if query else path
    if operation.get("security") == []:
        return f"{method} {address}"
    arguments = ["sitewright call", method, shlex.quote(address)]
    return " ".join(arguments) + (f" {shlex.quote(_pretty(body))}" if body else "")


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
