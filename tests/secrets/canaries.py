"""Values that are planted, and looked for in whatever form they may have been written down."""

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
    """`name` tells in a failure what was found; `value` stands nowhere else."""

    def __init__(self, name: str, value: str | bytes) -> None:
        self.name = name
        self.value = value.encode() if isinstance(value, str) else value
        assert len(self.value) >= 8, f"{name} is too short to be told from what stands there by chance"

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def text(self) -> str:
        return self.value.decode()

    @cached_property
    def forms(self) -> dict[str, bytes]:
        """By name, each once."""
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
        return {name: form for form, name in {form: name for name, form in reversed(found.items())}.items()}


def _base64_at(value: bytes, shift: int) -> bytes:
    """As it reads behind `shift` other bytes, whatever they are, and before others."""
    encoded = base64.b64encode(b"\0" * shift + value)
    return encoded[-(-shift * 8 // 6) : (shift + len(value)) * 8 // 6]


def invented(name: str) -> Canary:
    """For what the caller chooses: letters and digits alone, which no encoding of text changes."""
    return Canary(name, f"Zq{secrets.token_hex(10)}")


def found_in(
    places: Mapping[str, bytes], canaries: Iterable[Canary], forms: Iterable[str] | None = None
) -> list[Found]:
    """Which canary stands where, in which form; `forms`: only in these."""
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
    told = [f"{each.canary} ({each.form}) in {each.place}" for each in found]
    assert not told, "\n".join(["found:", *told])
