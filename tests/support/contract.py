"""Validates status, content type and body of every response in a test against the OpenAPI document."""

import json
import re
from collections import defaultdict
from functools import cache
from typing import Any

import httpx
import jsonschema_rs

from sitewright.app import ENDPOINTS, PUBLIC
from sitewright.kit.http.openapi import Document, document_of
from sitewright.kit.http.responses import PROBLEM_TYPE
from tests.support import probe

FROM_ROUTING = {404, 405, 414, 431}
WHATEVER_THE_ROUTE = {414, 431}
PROBLEM = {"$ref": "#/components/schemas/ProblemDocument"}
_REFERENCE = re.compile(r'"#/components/schemas/([^"]+)"')
BUGS_ON_PURPOSE = {"/probe/bug", "/probe/full-disk"}


@cache
def document() -> Document:
    return document_of([*ENDPOINTS, *probe.endpoints], PUBLIC)


async def check_response(response: httpx.Response) -> None:
    """For the `event_hooks` of an httpx client."""
    request = response.request
    if request.method == "OPTIONS" or (response.status_code == 500 and request.url.path in BUGS_ON_PURPOSE):
        return
    await response.aread()
    if _is_error_page(response):
        return
    where = f"{request.method} {request.url.path} returned {response.status_code}"
    found = _operation(request)
    if found is None or response.status_code in WHATEVER_THE_ROUTE:
        assert response.status_code in FROM_ROUTING, f"{where}, but the document has no such operation"
        _check_body(response, where, PROBLEM_TYPE, PROBLEM)
        return
    path, operation = found
    where = f"{where} ({path})"
    declared = operation["responses"].get(str(response.status_code))
    assert declared is not None, f"{where}, which it does not declare: {response.text[:300]}"
    _check_content(response, where, declared.get("content"))


def _is_error_page(response: httpx.Response) -> bool:
    """Any operation's errors are pages for browsers: the document says so once, for all of them."""
    asked = "text/html" in response.request.headers.get("accept", "")
    return response.status_code >= 400 and asked and response.headers["content-type"].startswith("text/html")


HOOKS = {"response": [check_response]}


def _operation(request: httpx.Request) -> tuple[str, dict[str, Any]] | None:
    method = "get" if request.method == "HEAD" else request.method.lower()
    raw_path = request.url.raw_path.decode("ascii").partition("?")[0]
    for pattern, path, operations in _routes().get(raw_path.count("/"), ()):
        if pattern.fullmatch(raw_path) and method in operations:
            return path, operations[method]
    return None


@cache
def _routes() -> dict[int, list[tuple[re.Pattern[str], str, dict[str, Any]]]]:
    """By the number of segments. Fixed path segments have precedence over parameters, as in the service."""
    found = defaultdict(list)
    for path, operations in sorted(document()["paths"].items(), key=lambda item: item[0].replace("{", "\uffff")):
        found[path.count("/")].append((_pattern(path), path, operations))
    return found


def _pattern(path: str) -> re.Pattern[str]:
    """A malformed ref still matches that path: the service refuses it after authentication."""
    return re.compile(re.sub(r"\{\w+\}", "[^/]+", path))


def _check_content(response: httpx.Response, where: str, content: dict[str, Any] | None) -> None:
    if content is None:
        assert response.content == b"", f"{where} with a body, though it declares none"
        return
    media_type = response.headers.get("content-type", "").partition(";")[0]
    ranges = (media_type, f"{media_type.partition('/')[0]}/*", "*/*")
    declared = next((content[each] for each in ranges if each in content), None)
    assert declared is not None, f"{where} as {media_type!r}, but declares {sorted(content)}"
    _check_body(response, where, media_type, declared["schema"])


def _check_body(response: httpx.Response, where: str, media_type: str, schema: dict[str, Any]) -> None:
    assert response.headers.get("content-type", "").partition(";")[0] == media_type, f"{where} not as {media_type}"
    if response.request.method == "HEAD" or "json" not in media_type:
        return
    failures = [f"{each.instance_path}: {each.message}" for each in validator(schema).iter_errors(response.json())]
    assert failures == [], f"{where}, which does not fit its schema: {failures}\n{response.text[:1000]}"


_validators: dict[int, jsonschema_rs.Validator] = {}


def validator(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """Cached per schema of the document, which lives as long as the tests."""
    if id(schema) not in _validators:
        _validators[id(schema)] = _compiled(json.dumps(schema))
    return _validators[id(schema)]


@cache
def _compiled(schema: str) -> jsonschema_rs.Validator:
    """Compiled once for all places with an equal schema, with the components that it refers to: a validator takes
    18 MiB with all of them."""
    components = {name: _components()[name] for name in _referred(schema)}
    return jsonschema_rs.validator_for(json.loads(schema) | {"components": {"schemas": components}})


def _referred(schema: str) -> set[str]:
    """The names of the components that a schema refers to, directly or through others."""
    found: set[str] = set()
    unread = [schema]
    while unread:
        new = set(_REFERENCE.findall(unread.pop())) - found
        found |= new
        unread += [json.dumps(_components()[name]) for name in new]
    return found


@cache
def _components() -> dict[str, Any]:
    components: dict[str, Any] = document()["components"]["schemas"]
    return components
