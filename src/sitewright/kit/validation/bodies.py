"""Parses JSON, forms and queries into plain values: strictly, and in bounded time."""

import json
import re
from collections import Counter
from typing import Any, NoReturn, Self
from urllib.parse import parse_qsl

from sitewright.kit.problems import Invalid, MalformedJson
from sitewright.kit.validation.nesting import MAX_DEPTH, nest

MAX_FORM_FIELDS = 1000
MAX_VALUES = 20_000
"""Values in a JSON body: far more than any endpoint needs, and parsed within a few milliseconds."""
MAX_QUOTES = 4 * MAX_VALUES
"""Around names and texts: a cheap check before texts are matched one by one."""
FORM_BODY = "The form body"
QUERY = "The query"
TOO_MANY = f"The body holds more than {MAX_VALUES} values. Send less at once."
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BRACES_AS_BRACKETS = bytes.maketrans(b"{}", b"[]")


def parse_json(body: bytes) -> dict[str, Any]:
    """The JSON object in `body`. Rejects what parsers disagree on: duplicate keys, NaN, deep nesting, invalid UTF-8."""
    _check_shape(body)
    top = _TopLevel()
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=top, parse_float=Fractional, parse_constant=_reject_constant
        )
    except (ValueError, RecursionError):
        raise MalformedJson from None
    if value == []:
        return {}  # PHP serializes an empty object as an empty list
    if not isinstance(value, dict):
        raise MalformedJson('The body must be one JSON object, like {"name": "value"}.')
    if top.duplicate is not None:
        raise MalformedJson(f"The key {top.duplicate!r} appears twice in the body; send it once.")
    return value


def parse_form(body: bytes) -> dict[str, Any]:
    """The fields of a page's form, without nesting; for a repeated field the last value counts."""
    return dict(_pairs(body, FORM_BODY))


def parse_query(query: bytes) -> dict[str, Any]:
    """The same for a page's query."""
    return dict(_pairs(query, QUERY))


def parse_nested_form(body: bytes) -> dict[str, Any]:
    """The fields of an API request's form; brackets in their names make nested values.

    JSON with this content type, some clients' default, is rejected: as a form it would be one unknown, ignored field.
    """
    if body.lstrip()[:1] + body.rstrip()[-1:] in (b"{}", b"[]"):
        raise Invalid("The body looks like JSON but came as a form. Send it with Content-Type: application/json.")
    return _nested(body, FORM_BODY)


def parse_nested_query(query: bytes) -> dict[str, Any]:
    return _nested(query, QUERY)


def _nested(encoded: bytes, what: str) -> dict[str, Any]:
    """Fast path: most forms and queries are flat and need only a dict."""
    pairs = _pairs(encoded, what)
    values = dict(pairs)
    if len(values) == len(pairs) and b"[" not in encoded and b"]" not in encoded and b"%5" not in encoded:
        return values
    return nest(pairs)


def _pairs(encoded: bytes, what: str) -> list[tuple[str, str]]:
    if encoded.count(b"&") >= MAX_FORM_FIELDS:
        raise Invalid(f"{what} may hold at most {MAX_FORM_FIELDS} fields.")
    try:
        return parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise Invalid(f"{what} is not valid percent-encoded UTF-8.") from None


class Fractional(float):
    """A JSON number with a fraction or exponent that keeps its text, so that amounts of money are not rounded."""

    written: str

    def __new__(cls, written: str) -> Self:
        number = super().__new__(cls, written)
        number.written = written
        return number


class _TopLevel:
    """Builds dicts and records a duplicate key of the object completed last, which is the outermost one."""

    duplicate: str | None = None

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        self.duplicate = None
        if len(value) != len(pairs):
            self.duplicate = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return value


def _reject_constant(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


def _check_shape(body: bytes) -> None:
    """Reject too many values and too deep nesting before parsing.

    Depth: remove the innermost bracket pairs, one level per round; remaining brackets are too deep or not closed.
    """
    opened = body.count(b"[") + body.count(b"{")
    if opened <= MAX_DEPTH and body.count(b",") < MAX_VALUES:
        return
    if body.count(b'"') - body.count(b'\\"') > MAX_QUOTES:
        raise MalformedJson(TOO_MANY)
    bare = _STRINGS.sub(b"", body)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") >= MAX_VALUES:
        raise MalformedJson(TOO_MANY)
    brackets = bare.translate(_BRACES_AS_BRACKETS, delete=_NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace(b"[]", b"")
    if brackets:
        raise MalformedJson
