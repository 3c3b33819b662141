"""Builds structs from database rows."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)


def struct_of(kind: type[S], row: Mapping[str, Any]) -> S:
    """Build a struct from the columns that have its field names."""
    return kind(**{name: row[name] for name in kind.__struct_fields__})
