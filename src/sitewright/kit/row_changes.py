"""Updates of one row that report which of its values are different afterwards, for events."""

from collections.abc import Iterable
from typing import Any

import msgspec

from sitewright.kit.db import Transaction


async def update_row(tx: Transaction, table: str, ref: int, columns: dict[str, Any]) -> list[str]:
    """Update a row of the transaction's brand, which is locked; return the columns whose values differ from before."""
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
    compared = ", ".join(f"case when o.{name} is distinct from n.{name} then '{name}' end" for name in columns)
    differing: list[str] | None = await tx.fetchval(
        f"update {table} n set {changes} from {table} o"  # noqa: S608 - fixed names
        " where n.brand_ref = current_brand() and n.ref = $1 and o.brand_ref = n.brand_ref and o.ref = n.ref"
        f" returning array_remove(array[{compared}], null)",
        ref,
        *columns.values(),
    )
    return differing or []


def fields_of(request: type[msgspec.Struct], attributes: Iterable[str]) -> list[str]:
    """Those of these attributes that the request has, by the names of its fields, sorted."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(request)}
    return sorted(names[attribute] for attribute in attributes if attribute in names)
