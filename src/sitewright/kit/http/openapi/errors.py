"""The error responses of an endpoint in the OpenAPI document."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

import msgspec

from sitewright.kit import versions
from sitewright.kit.auth.authenticator import SecondFactorRequired
from sitewright.kit.auth.caller import EVERY_ROLE, Role
from sitewright.kit.http.brand import BrandMismatch, BrandRequired
from sitewright.kit.http.cross_site import CrossSiteRequest
from sitewright.kit.http.endpoint import Endpoint, HttpsRequired
from sitewright.kit.http.idempotency import IdempotencyForgotten, IdempotencyInProgress, IdempotencyMismatch
from sitewright.kit.http.openapi.headers import header_refs
from sitewright.kit.http.openapi.naming import PARAMETER
from sitewright.kit.http.openapi.schemas import Schema, Schemas
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import PROBLEM_TYPE, ProblemDocument
from sitewright.kit.problems import (
    Forbidden,
    HeadersTooLarge,
    Invalid,
    MalformedJson,
    NotFound,
    Problem,
    RequestTooSlow,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UnsupportedMediaType,
    UriTooLong,
)
from sitewright.kit.validation import field_code


def _is_newer_than_some_release(endpoint: Endpoint) -> bool:
    return any(change.field is None for change in endpoint.since)


EVERY_CALL = (
    Invalid,
    versions.UnknownVersion,
    Unauthenticated,
    SecondFactorRequired,
    BrandMismatch,
    RequestTooSlow,
    TooLarge,
    UriTooLong,
    TooManyRequests,
    HeadersTooLarge,
    Unavailable,
)
SOME_CALLS: tuple[tuple[type[Problem], Callable[[Endpoint], bool]], ...] = (
    (MalformedJson, lambda each: each.body is not None and not each.https_only),
    (
        BrandRequired,
        lambda each: each.needs_brand and "{brand_ref:" not in each.path and Role.SYSTEM_OWNER in each.roles,
    ),
    (Forbidden, lambda each: each.roles != EVERY_ROLE),
    (CrossSiteRequest, lambda each: each.method != "GET"),
    (HttpsRequired, lambda each: each.https_only),
    (NotFound, lambda each: PARAMETER.search(each.path) is not None),
    (versions.NotInThisVersion, _is_newer_than_some_release),
    (IdempotencyMismatch, lambda each: each.method == "POST"),
    (IdempotencyInProgress, lambda each: each.method == "POST"),
    (IdempotencyForgotten, lambda each: each.method == "POST"),
    (UnsupportedMediaType, lambda each: each.body is not None and not each.https_only),
)
HEADERS = {303: ("Location",), 401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
_TYPE_ERRORS = {
    "integer": "must be an integer",
    "boolean": "must be 0, 1, true or false",
    "string": "must be text",
    "array": "must be a list",
    "object": "must be an object",
}


def problems_of(endpoint: Endpoint) -> list[type[Problem]]:
    """The endpoint's declared problems, then those derived from its path, body, method and roles."""
    derived = [problem for problem, occurs in SOME_CALLS if occurs(endpoint)]
    return sorted(dict.fromkeys([*endpoint.errors, *EVERY_CALL, *derived]), key=lambda problem: problem.status)


def field_codes(endpoint: Endpoint, schemas: Schemas) -> dict[str, str]:
    """The problem code of each validated field of the body, query or headers, by the field's name."""
    kinds = endpoint.request_types
    names = [name for kind in kinds for name in schemas.field_names(kind)]
    names += ["file"] if endpoint.upload is not None else []
    codes = {name: field_code(name) for name in [*names, "brandRef"]} | {"X-Brand-Ref": "invalidBrandRef"}
    return codes | ({"Idempotency-Key": "invalidIdempotencyKey"} if endpoint.method == "POST" else {})


def public_field_codes(route: PublicRoute, schemas: Schemas) -> list[str]:
    """The problem code of each validated field of a public route's form or query."""
    kinds = [kind for kind in (route.form, route.query) if kind is not None]
    return list(dict.fromkeys(field_code(name) for kind in kinds for name in schemas.field_names(kind)))


def error_responses(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    codes = field_codes(endpoint, schemas)
    responses = problem_responses(problems_of(endpoint), schemas, endpoint.errors, dict.fromkeys(codes.values()))
    failing = _field_errors_example(endpoint, schemas, codes)
    responses["400"]["content"][PROBLEM_TYPE]["examples"][failing.code] = {
        "summary": failing.title,
        "value": _document(failing),
        "x-own": False,
        "x-field": failing.code != Invalid.code,
    }
    return responses


def problem_responses(
    problems: Iterable[type[Problem]], schemas: Schemas, own: Collection[type[Problem]], field_codes: Iterable[str] = ()
) -> dict[str, Any]:
    by_status: dict[int, list[type[Problem]]] = {}
    for problem in problems:
        by_status.setdefault(problem.status, []).append(problem)
    return {
        str(status): _response(status, kinds, schemas, own, list(field_codes) if Invalid in kinds else [])
        for status, kinds in sorted(by_status.items())
    }


def _response(
    status: int, kinds: list[type[Problem]], schemas: Schemas, own: Collection[type[Problem]], field_codes: list[str]
) -> dict[str, Any]:
    codes = list(dict.fromkeys([*(kind.code for kind in kinds), *field_codes]))
    narrowed: Schema = {"properties": {"status": {"const": status}, "code": {"enum": codes}}}
    examples = {
        kind.code: {
            "summary": kind.title,
            "value": _document(kind),
            "x-own": kind in own and kind not in EVERY_CALL,
            "x-field": False,
        }
        for kind in kinds
    }
    return {
        "description": ", ".join(f"`{kind.code}` ({kind.title})" for kind in kinds),
        "headers": header_refs(*HEADERS.get(status, ())),
        "content": {PROBLEM_TYPE: {"schema": {"allOf": [schemas.of(ProblemDocument), narrowed]}, "examples": examples}},
    }


def _document(problem: Problem | type[Problem]) -> Any:
    document = ProblemDocument(
        type=f"/problems/{problem.code}",
        title=problem.title,
        status=problem.status,
        detail=problem.detail,
        instance="5f0c9a2e7b6d4c318e20a1f4d7b35c96",
        code=problem.code,
        message=problem.detail,
        errors=problem.errors if isinstance(problem, Problem) else {},
    )
    return msgspec.to_builtins(document)


def _field_errors_example(endpoint: Endpoint, schemas: Schemas, codes: dict[str, str]) -> Invalid:
    """An example: the problem of a request whose first two fields are invalid."""
    kinds = endpoint.request_types
    wrong = {
        name: {codes[name]: "is required" if name in schemas.required(kind) else _type_error(schema)}
        for kind in kinds
        for name, schema in schemas.properties(kind).items()
    }
    header = {"X-Brand-Ref": {codes["X-Brand-Ref"]: "must be an integer from 1 to 2^63-1"}}
    return Invalid.fields(dict(list((wrong or header).items())[:2]))


def _type_error(schema: Schema) -> str:
    kind = schema.get("anyOf", [schema])[0]
    if "enum" in kind:
        return "must be one of " + ", ".join(str(each) for each in kind["enum"])
    return _TYPE_ERRORS.get(kind.get("type", "object"), "is not valid")
