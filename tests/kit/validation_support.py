"""Request types for the tests of validation."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.kit.validation import Ref, Text, parse

MAX_REF = 2**63 - 1


class Number(msgspec.Struct):
    count: int


class Ranged(msgspec.Struct):
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)]


class Referring(msgspec.Struct, rename="camel"):
    package_ref: Ref


class Flagged(msgspec.Struct):
    live: bool


class Named(msgspec.Struct):
    name: Annotated[str, Text(1, 3)]


class Pair(msgspec.Struct):
    name: Annotated[str, Text(1, 10)]
    value: str = ""


class Tree(msgspec.Struct):
    metadata: Annotated[list[Pair], msgspec.Meta(max_length=1000)] = []
    owner: Pair | None = None
    tags: Annotated[list[str], msgspec.Meta(max_length=1000)] = []


class Everything(msgspec.Struct, rename="camel"):
    """One field of each kind; the first three are required."""

    user_ref: Ref
    username: Annotated[str, Text(1, 20)]
    role: Literal["admin", "guest"]
    beta: bool = False
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    reseller_ref: Ref | None = None
    owner: Pair | None = None
    metadata: Annotated[list[Pair], msgspec.Meta(max_length=1000)] = []
    anything: Any = None


def errors_of(into: type[msgspec.Struct], values: dict[str, Any]) -> FieldErrors:
    with pytest.raises(Invalid) as caught:
        parse(into, values)
    return caught.value.errors


def problem_of(into: type[msgspec.Struct], values: dict[str, Any]) -> Invalid:
    with pytest.raises(Invalid) as caught:
        parse(into, values)
    return caught.value
