"""Validation of lists of names and values."""

from collections.abc import Sequence
from typing import Protocol

from sitewright.kit.problems import FieldErrors


class Named(Protocol):
    @property
    def name(self) -> str: ...


def duplicate_names(values: Sequence[Named]) -> FieldErrors:
    """Report names that appear more than once in `values`."""
    seen: set[str] = set()
    errors: FieldErrors = {}
    for index, each in enumerate(values):
        if each.name in seen:
            errors[f"values[{index}].name"] = {"invalidName": "appears twice in the list"}
        seen.add(each.name)
    return errors
