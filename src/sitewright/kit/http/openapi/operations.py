"""One operation of the OpenAPI document, from an endpoint or a public route."""

import inspect
from typing import Any

import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.http import pending
from sitewright.kit.http.call import FORM, JSON
from sitewright.kit.http.endpoint import Endpoint, Upload
from sitewright.kit.http.multipart import MULTIPART
from sitewright.kit.http.openapi import headers
from sitewright.kit.http.openapi.errors import HEADERS, error_responses, problem_responses, public_field_codes
from sitewright.kit.http.openapi.naming import camel, feature_of
from sitewright.kit.http.openapi.schemas import Schemas
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.problems import UriTooLong


def operation_of(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    summary, _, rest = (inspect.getdoc(endpoint.function) or "").partition("\n")
    description = [rest.strip().replace("\n", " "), _callers(endpoint), _since(endpoint)]
    operation: dict[str, Any] = {
        "operationId": camel(endpoint.function.__name__),
        "tags": [feature_of(endpoint)],
        "summary": summary,
        "description": " ".join(part for part in description if part),
        "parameters": [
            *headers.of_path(endpoint.path),
            *_query_parameters(endpoint.query, schemas),
            *headers.of_request(endpoint),
        ],
        "responses": {
            str(endpoint.status): _success(endpoint, schemas),
            **({"202": _success(endpoint, schemas)} if endpoint.may_continue else {}),
            **({"201": _success(endpoint, schemas)} if endpoint.may_create else {}),
            **(_pending() if endpoint.may_be_pending else {}),
            **error_responses(endpoint, schemas),
        },
    }
    if endpoint.body is not None:
        operation["requestBody"] = _request_body(endpoint, endpoint.body, schemas)
    if endpoint.upload is not None:
        operation["requestBody"] = _upload_body(endpoint.upload, schemas)
    return operation


def public_operation_of(route: PublicRoute, schemas: Schemas) -> dict[str, Any]:
    untyped = {"type": "object" if route.media_type == JSON else "string"}
    schema = untyped if route.response_type is None else schemas.of(route.response_type)
    content: dict[str, Any] = {"schema": schema}
    if route.response_type is not None:
        content["example"] = schemas.example(schema)
    responses = {
        str(status): {
            "description": meaning,
            "headers": headers.header_refs(*HEADERS.get(status, ())),
            **({} if status == 204 or 300 <= status < 400 else {"content": {_media_type(route, status): content}}),
        }
        for status, meaning in route.responses.items()
    }
    operation: dict[str, Any] = {
        "operationId": route.operation_id,
        "tags": [route.tag],
        "summary": route.summary,
        "description": route.description,
        "security": [],
        "parameters": [
            *headers.of_path(route.path),
            *_query_parameters(route.query, schemas),
            *headers.parameter_refs("X-Request-Id"),
        ],
        "responses": responses
        | problem_responses([*route.errors, UriTooLong], schemas, route.errors, public_field_codes(route, schemas)),
    }
    if route.form is not None:
        form = {"schema": schemas.of(route.form), "example": schemas.example(schemas.of(route.form))}
        files = {MULTIPART: form} if route.has_files else {}
        operation["requestBody"] = {"description": "A form.", "required": True, "content": {FORM: form} | files}
    return operation


def _media_type(route: PublicRoute, status: int) -> str:
    return route.error_media_type or route.media_type if status >= 400 else route.media_type


def _callers(endpoint: Endpoint) -> str:
    allowed = [role.value for role in Role if role in endpoint.roles]
    over = " over HTTPS" if endpoint.https_only else ""
    return f"May be called by {' and '.join(', '.join(allowed).rsplit(', ', 1))}{over}."


def _since(endpoint: Endpoint) -> str:
    described = [
        f"Since API release 7.{change.release}."
        if change.field is None
        else f"`{change.field}` holds at most {change.older_maximum} characters before API release 7.{change.release}."
        if change.older_maximum is not None
        else f"`{change.field}` exists since API release 7.{change.release}."
        for change in endpoint.since
    ]
    return " ".join(described)


def _query_parameters(query: type[msgspec.Struct] | None, schemas: Schemas) -> list[dict[str, Any]]:
    if query is None:
        return []
    required = schemas.required(query)
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": schema.get("description", ""),
            "schema": {key: value for key, value in schema.items() if key not in ("description", "examples")},
            "example": schemas.example(schema),
        }
        for name, schema in schemas.properties(query).items()
    ]


def _request_body(endpoint: Endpoint, body: type, schemas: Schemas) -> dict[str, Any]:
    content = {"schema": schemas.of(body), "example": schemas.example(schemas.of(body))}
    takes_forms = schemas.is_flat(body) and not endpoint.https_only
    return {
        "description": "Unknown fields are ignored.",
        "required": bool(schemas.required(body)),
        "content": {JSON: content, **({FORM: content} if takes_forms else {})},
    }


def _upload_body(upload: Upload, schemas: Schemas) -> dict[str, Any]:
    file = {"type": "string", "format": "binary"}
    described = file | {"description": "The file.", "examples": ["(the bytes of the file)"]}
    form = {
        "type": "object",
        "properties": {"file": described, **schemas.properties(upload.form)},
        "required": ["file"],
    }
    return {
        "description": upload.description,
        "required": True,
        "content": {MULTIPART: {"schema": form}, "application/octet-stream": {"schema": file}},
    }


def _pending() -> dict[str, Any]:
    """Some clients report the 102, others the 202, so both are documented."""
    return {
        "102": {"description": "Not done yet: some clients take this, which precedes the 202, for the response."},
        str(pending.STATUS): {
            "description": "Not done yet: retry after the seconds of Retry-After.",
            "headers": headers.header_refs("Retry-After"),
        },
    }


def _success(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    more = ["Idempotency-Replayed"] if endpoint.method == "POST" else []
    if endpoint.query is not None and "limit" in schemas.properties(endpoint.query):
        more.append("Link")
    if endpoint.has_etag and endpoint.response_type is not None:
        more.append("ETag")
    response: dict[str, Any] = {"description": "Done.", "headers": headers.header_refs(*more)}
    if endpoint.response_type is None:
        return response
    schema = schemas.of(endpoint.response_type)
    description = schemas.resolved(schema).get("description", "Done.")
    return response | {
        "description": description,
        "content": {JSON: {"schema": schema, "example": schemas.example(schema)}},
    }
