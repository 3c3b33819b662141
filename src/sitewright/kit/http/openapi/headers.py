"""Headers and path parameters of the OpenAPI document."""

from typing import Any

from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.openapi.naming import PARAMETER, camel
from sitewright.kit.http.request_context import REQUEST_ID
from sitewright.kit.validation.fields import MAX_INTEGER
from sitewright.kit.versions import NEWEST

_REQUEST_ID = {"type": "string", "pattern": f"^{REQUEST_ID.pattern.decode()}$"}
_REQUEST_ID_EXAMPLE = "5f0c9a2e7b6d4c318e20a1f4d7b35c96"
_ETAG_EXAMPLE = '"9f2b6c1de04a7785a1c03e5b7d9f1a42"'


def _header_parameter(name: str, description: str, example: Any, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": description, "schema": schema, "example": example}


def _header(description: str, example: Any, **schema: Any) -> dict[str, Any]:
    return {"description": description, "schema": schema, "example": example}


PARAMETERS = {
    "X-Request-Id": _header_parameter(
        "X-Request-Id",
        "Your own id for this request; it is returned in the response.",
        _REQUEST_ID_EXAMPLE,
        **_REQUEST_ID,
    ),
    "X-Api-Version": _header_parameter(
        "X-Api-Version",
        f"The requested API release, from 7.1 to 7.{NEWEST}; also written v44 or 44. The newest if omitted.",
        "7.44",
        type="string",
        pattern=r"^(7\.|v)?[1-9][0-9]{0,2}$",
        default=f"7.{NEWEST}",
    ),
    "X-Brand-Ref": _header_parameter(
        "X-Brand-Ref",
        "The brand a system-owner makes this call for. Others may omit it or send their own.",
        1,
        type="integer",
        minimum=1,
        maximum=MAX_INTEGER,
    ),
    "Idempotency-Key": _header_parameter(
        "Idempotency-Key",
        "Makes the request safe to retry: for 24 hours the same request with the same key gets its first response.",
        "order-4711-create",
        type="string",
        minLength=1,
        maxLength=255,
    ),
    "If-Match": _header_parameter(
        "If-Match",
        "Change it only if it still is as you saw it: the `ETag` of an earlier response, or * if it only has to exist.",
        _ETAG_EXAMPLE,
        type="string",
    ),
}

RESPONSE_HEADERS = {
    "X-Request-Id": _header(
        "The request's id: yours, or a generated one. Include it when you report a problem.",
        _REQUEST_ID_EXAMPLE,
        **_REQUEST_ID,
    ),
    "X-Api-Version": _header("The API release of this response.", f"7.{NEWEST}", type="string"),
    "Retry-After": _header("Seconds to wait before retrying the request.", 2, type="integer", minimum=0),
    "WWW-Authenticate": _header(
        "The supported authentication schemes.", 'OAuth realm="sitewright", Basic realm="sitewright"', type="string"
    ),
    "Idempotency-Replayed": _header(
        "Set on a response that is replayed for its Idempotency-Key.", "true", type="string", const="true"
    ),
    "ETag": _header("Identifies the present state, for If-Match.", _ETAG_EXAMPLE, type="string"),
    "Location": _header("Where to continue.", "/account", type="string"),
    "Link": _header(
        "The pages around this one, as `next` and `prev`; absent where there is none.",
        '</users?limit=20&after=20>; rel="next"',
        type="string",
    ),
}

_EXAMPLES = {
    "domain": "www.example.com",
    "external_id": "service-4711",
    "name": "colour",
    "code": "brandMismatch",
    "user": "info",
    "static_widget_id": "footer",
    "job": "1-6f1c0d2b9a8e4f57b3a1c2d4e5f60718",
}


def parameter_refs(*names: str) -> list[dict[str, str]]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def header_refs(*names: str) -> dict[str, dict[str, str]]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", "X-Api-Version", *names)}


def of_request(endpoint: Endpoint) -> list[dict[str, str]]:
    names = ["X-Request-Id", "X-Api-Version"]
    if "{brand_ref:" not in endpoint.path:
        names.append("X-Brand-Ref")
    if endpoint.method == "POST":
        names.append("Idempotency-Key")
    if endpoint.has_etag and endpoint.method != "GET":
        names.append("If-Match")
    return parameter_refs(*names)


def of_path(path: str) -> list[dict[str, Any]]:
    return [_path_parameter(name, kind) for name, kind in PARAMETER.findall(path)]


def _path_parameter(name: str, kind: str) -> dict[str, Any]:
    words = name.removesuffix("_ref").replace("_", " ")
    parameter: dict[str, Any] = {"name": camel(name), "in": "path", "required": True}
    if kind == "int":
        schema = {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER}
        return parameter | {"description": f"The {words}'s number.", "schema": schema, "example": 1}
    return parameter | {
        "description": f"The {words}.",
        "schema": {"type": "string", "minLength": 1},
        "example": _EXAMPLES.get(name, words),
    }
