"""Nested values from form and query fields with brackets in their names, as PHP parses them.

`metadata[0][name]=a` and `values[content]=b` become `{"metadata": [{"name": "a"}], "values": {"content": "b"}}`: keys
0 to n-1, in any order, make a list, `[]` appends to one, and other keys make an object.
Malformed fields are not dropped: they become `Unreadable`, which is an error if the endpoint knows the field.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

MAX_DEPTH = 64
"""Maximum nesting depth of JSON and form bodies, including the body itself."""
MAX_INDEX_DIGITS = 9
"""Longer numbers are keys of objects, not list indexes."""
NOT_BALANCED = "has brackets that do not match; write it as field[key] or field[0][key]"
TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"
TWICE = "was sent twice with different values; send it once"
PLAIN_AND_NESTED = "was sent both as one value and with brackets; send it one way"
LIST_AND_OBJECT = "was sent both as a list and with named keys; send it one way"

_BRACKETED = re.compile(r"([^\[\]]*+)((?:\[[^\[\]]*+\])++)")
_BRACKET = re.compile(r"[\[\]]")
_INDEX = re.compile(rf"0|[1-9][0-9]{{0,{MAX_INDEX_DIGITS - 1}}}", re.ASCII)


class Unreadable(msgspec.Struct, frozen=True):
    """A placeholder for a malformed field; `reason` follows the field's name."""

    reason: str


class _ConflictError(Exception):
    """Two fields contradict each other; the message says how."""


class _Branch:
    """An object or a list whose items are still being collected."""

    __slots__ = ("is_list", "is_object", "items", "next_index")

    def __init__(self) -> None:
        self.items: dict[str, _Branch | str] = {}
        self.next_index = 0
        self.is_list = self.is_object = False

    def put(self, key: str, value: str) -> None:
        key = self._resolve(key)
        existing = self.items.setdefault(key, value)
        if existing != value:
            raise _ConflictError(TWICE if isinstance(existing, str) else PLAIN_AND_NESTED)

    def branch(self, key: str) -> "_Branch":
        key = self._resolve(key)
        existing = self.items.get(key)
        if existing is None:
            existing = self.items[key] = _Branch()
        if isinstance(existing, str):
            raise _ConflictError(PLAIN_AND_NESTED)
        return existing

    def value(self) -> list[Any] | dict[str, Any]:
        values = {key: item if isinstance(item, str) else item.value() for key, item in self.items.items()}
        indexes = [str(index) for index in range(len(values))]
        if all(index in values for index in indexes):
            return [values[index] for index in indexes]
        return values

    def _resolve(self, key: str) -> str:
        """`[]` is the index after the largest one so far."""
        if not key:
            self.is_list = True
            key = str(self.next_index)
        if _INDEX.fullmatch(key):
            self.next_index = max(self.next_index, int(key) + 1)
        else:
            self.is_object = True
        if self.is_list and self.is_object:
            raise _ConflictError(LIST_AND_OBJECT)
        return key


def nest(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The fields by name, nested by their brackets; a field repeated with the same value counts once."""
    plain: dict[str, Any] = {}
    nested: dict[str, _Branch] = {}
    reasons: dict[str, str] = {}
    for name, value in pairs:
        field = field_of(name)
        if field == name:
            if plain.setdefault(name, value) != value:
                reasons.setdefault(name, TWICE)
            continue
        try:
            _collect(nested.setdefault(field, _Branch()), name, value)
        except _ConflictError as conflict:
            reasons.setdefault(field, str(conflict))
    for field, branch in nested.items():
        if field in plain:
            reasons.setdefault(field, PLAIN_AND_NESTED)
        elif field not in reasons:
            plain[field] = branch.value()
    return plain | {field: Unreadable(reason) for field, reason in reasons.items()}


def field_of(name: str) -> str:
    """The part of a name before its first bracket, or the whole name."""
    bracket = _BRACKET.search(name)
    return name if bracket is None else name[: bracket.start()]


def _collect(branch: _Branch, name: str, value: str) -> None:
    if name.count("[") >= MAX_DEPTH:
        raise _ConflictError(TOO_DEEP)
    bracketed = _BRACKETED.fullmatch(name)
    if bracketed is None:
        raise _ConflictError(NOT_BALANCED)
    *path, last = bracketed[2][1:-1].split("][")
    for key in path:
        branch = branch.branch(key)
    branch.put(last, value)
