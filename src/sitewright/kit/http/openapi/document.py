"""The OpenAPI 3.1 document, generated from the endpoints."""

import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from sitewright import __version__
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.openapi import headers
from sitewright.kit.http.openapi.naming import wire_path
from sitewright.kit.http.openapi.operations import operation_of, public_operation_of
from sitewright.kit.http.openapi.schemas import Schemas, reachable
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import ProblemDocument
from sitewright.kit.versions import NEWEST

Document = dict[str, Any]

ABOUT = (
    "Provisions website-builder accounts, sites and domains for hosting companies. Sign every call with OAuth 1.0a, or"
    " use HTTP Basic as an operator. Integers may come as strings of digits; flags as 0, 1, true or false, also as text"
    " and then in any letter case. Bodies may also be forms, with nested values in brackets: `metadata[crm]=4711`."
    " Unknown fields are ignored; a known one in a shape that cannot be read is 400. Errors are problem documents"
    " (RFC 9457) with a stable `code`, each explained at `/problems/<code>`; where `Accept` names `text/html` and the"
    " call has no credentials, they are pages for people, with the same status. A query parameter that is not listed"
    " never changes what a call does."
    f" This document describes API release 7.{NEWEST}; the header `X-Api-Version` requests another, from 7.1 on. The"
    f" API release is not the software version, which is {__version__}."
)
SECURITY_SCHEMES = {
    "oauth1": {
        "type": "http",
        "scheme": "OAuth",
        "description": "OAuth 1.0a (RFC 5849), one-legged with a token: consumerKey, consumerSecret, accessToken and"
        " accessSecret sign the request with HMAC-SHA1 or HMAC-SHA256. The parameters may also stand in the query or in"
        " a form body. `sitewright call` signs for you.",
    },
    "basic": {"type": "http", "scheme": "basic", "description": "An operator's user name and password."},
}


def document_of(endpoints: Sequence[Endpoint], public: Sequence[PublicRoute]) -> Document:
    schemas = Schemas(_types(endpoints, public))
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(wire_path(endpoint.path), {})[endpoint.method.lower()] = operation_of(endpoint, schemas)
    for route in public:
        paths.setdefault(wire_path(route.path), {})[route.method.lower()] = public_operation_of(route, schemas)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Sitewright",
            "version": f"7.{NEWEST}",
            "description": ABOUT,
            "x-software-version": __version__,
        },
        "servers": [{"url": "/", "description": "This service."}],
        "security": [{"oauth1": []}, {"basic": []}],
        "tags": _tags(paths),
        "paths": paths,
        "components": {
            "schemas": reachable(paths, schemas.components),
            "parameters": headers.PARAMETERS,
            "headers": headers.RESPONSE_HEADERS,
            "securitySchemes": SECURITY_SCHEMES,
        },
    }
    plain: Document = msgspec.to_builtins(document)
    return plain


def _types(endpoints: Sequence[Endpoint], public: Sequence[PublicRoute]) -> list[Any]:
    of_endpoints = [kind for each in endpoints for kind in (each.response_type, *each.request_types)]
    of_public = [kind for each in public for kind in (each.response_type, each.form, each.query)]
    return [kind for kind in (ProblemDocument, *of_endpoints, *of_public) if kind]


def _tags(paths: dict[str, dict[str, Any]]) -> list[dict[str, str]]:
    names = dict.fromkeys(name for path in paths.values() for operation in path.values() for name in operation["tags"])
    return [{"name": name, "description": _tag_description(name)} for name in names]


def _tag_description(name: str) -> str:
    """The first line of the docstring of the feature's package."""
    in_package = (path for path in sys.modules if path.startswith("sitewright.") and path.split(".")[2:] == [name])
    package = sys.modules.get(next(in_package, f"sitewright.{name}"))
    docstring = (package.__doc__ or "") if package else ""
    return docstring.strip().partition("\n")[0] or name.capitalize()
