"""Values sent as names and values."""

from collections.abc import Sequence
from typing import Protocol

from sitewright.kit.problems import FieldErrors


class Named(Protocol):
    @property
    def name(self) -> str: ...


def names_twice(values: Sequence[Named]) -> FieldErrors:
    """A name stands once in `values`."""
    seen: set[str] = set()
    errors: FieldErrors = {}
    for index, each in enumerate(values):
        if each.name in seen:
            errors[f"values[{index}].name"] = {"invalidName": "stands twice in the list"}
        seen.add(each.name)
    return errors
