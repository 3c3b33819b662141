"""Canary values that are planted, and the encodings in which they are searched for."""

import base64
import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple
from urllib.parse import quote

PLAIN = "plain"


class Found(NamedTuple):
    canary: str
    place: str
    form: str


class Canary:
    """`name` identifies it in a failure; `value` occurs nowhere else."""

    def __init__(self, name: str, value: str | bytes) -> None:
        self.name = name
        self.value = value.encode() if isinstance(value, str) else value
        assert len(self.value) >= 8, f"{name} is too short: it could be found by chance"

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def text(self) -> str:
        return self.value.decode()

    @cached_property
    def forms(self) -> dict[str, bytes]:
        """The encodings to search for, by name, without duplicates."""
        found = {
            PLAIN: self.value,
            "lower case": self.value.lower(),
            "percent-encoded": quote(self.value, safe="").encode(),
            "hex": self.value.hex().encode(),
            "HEX": self.value.hex().upper().encode(),
        }
        for shift in range(3):
            found[f"base64 at {shift}"] = _base64_at(self.value, shift)
            found[f"base64url at {shift}"] = _base64_at(self.value, shift).translate(bytes.maketrans(b"+/", b"-_"))
        unique: dict[str, bytes] = {}
        for name, form in found.items():
            if form not in unique.values():
                unique[name] = form
        return unique


def _base64_at(value: bytes, shift: int) -> bytes:
    """The base64 of the value after `shift` arbitrary bytes, without the characters that depend on its neighbors."""
    encoded = base64.b64encode(b"\0" * shift + value)
    return encoded[-(-shift * 8 // 6) : (shift + len(value)) * 8 // 6]


def invented(name: str) -> Canary:
    """For values that the caller chooses: letters and digits only, which no text encoding changes."""
    return Canary(name, f"Zq{secrets.token_hex(10)}")


def found_in(
    places: Mapping[str, bytes], canaries: Iterable[Canary], forms: Iterable[str] | None = None
) -> list[Found]:
    """Which canary was found where, in which encoding; `forms`: search only these."""
    wanted = [
        (canary.name, name, form)
        for canary in canaries
        for name, form in canary.forms.items()
        if forms is None or name in forms
    ]
    return [
        Found(canary, place, name)
        for place, content in places.items()
        for canary, name, form in wanted
        if form in content
    ]


def check_none(found: Iterable[Found]) -> None:
    lines = [f"{each.canary} ({each.form}) in {each.place}" for each in found]
    assert not lines, "\n".join(["found:", *lines])
