"""Bytes to plain values: JSON, form and query, strictly."""

import json
import re
from collections import Counter
from typing import Any, NoReturn, Self
from urllib.parse import parse_qsl

from sitewright.kit.problems import Invalid, MalformedJson

MAX_DEPTH = 64
MAX_FORM_FIELDS = 1000
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_BRACES_AS_BRACKETS = bytes.maketrans(b"{}", b"[]")


def parse_json(body: bytes) -> dict[str, Any]:
    """The JSON object in `body`. Refuses what parsers disagree on: duplicate keys, NaN, deep nesting, not UTF-8."""
    _check_depth(body)
    top = _TopLevel()
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=top, parse_float=Fractional, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        raise MalformedJson from None
    if not isinstance(value, dict):
        raise MalformedJson('The body must be one JSON object, like {"name": "value"}.')
    if top.duplicate is not None:
        raise MalformedJson(f"The key {top.duplicate!r} stands twice in the body; send it once.")
    return value


def parse_form(body: bytes) -> dict[str, Any]:
    try:
        return _pairs(body.decode("ascii"))
    except ValueError:
        raise Invalid("The form body is not valid percent-encoded UTF-8.") from None


def parse_query(query: bytes) -> dict[str, Any]:
    try:
        return _pairs(query.decode("ascii"))
    except ValueError:
        raise Invalid("The query is not valid percent-encoded UTF-8.") from None


def _pairs(text: str) -> dict[str, Any]:
    return dict(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FORM_FIELDS))


class Fractional(float):
    """A number with a point or an exponent that remembers how it was written: amounts of money are not rounded."""

    written: str

    def __new__(cls, written: str) -> Self:
        made = super().__new__(cls, written)
        made.written = written
        return made


class _TopLevel:
    """Builds dicts and remembers a duplicate key of the object finished last, which is the outermost one."""

    duplicate: str | None = None

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        self.duplicate = None
        if len(value) != len(pairs):
            self.duplicate = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return value


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


def _check_depth(body: bytes) -> None:
    """Take away innermost bracket pairs, one level a round; what is left then is too deep or never closed."""
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return
    brackets = _STRINGS.sub(b"", body).translate(_BRACES_AS_BRACKETS, delete=_NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace(b"[]", b"")
    if brackets:
        raise MalformedJson
