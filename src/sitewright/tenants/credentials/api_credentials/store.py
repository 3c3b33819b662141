from datetime import datetime
from typing import Literal

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

State = Literal["active", "revoked"]
_COLUMNS = "ref, label, role, reseller_ref, consumer_key, created_at, last_used_at, revoked_at"
KEYS = {
    "ref": SortKey("ref"),
    "label": SortKey("lower(label)", "text"),
    "last_used": SortKey("coalesce(last_used_at, '-infinity')", "timestamptz"),
}
"""A brand has few credentials: any order is sorted from all of them."""


class Credential(msgspec.Struct, frozen=True):
    """An API credential, without secrets."""

    ref: int
    label: str
    role: str
    reseller_ref: int | None
    consumer_key: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


async def list_newest(tx: Transaction, most: int) -> list[Credential]:
    rows = await tx.fetch(
        f"select {_COLUMNS} from api_credentials where brand_ref = current_brand() order by ref desc limit $1",  # noqa: S608 - our own columns
        most,
    )
    return [Credential(*row) for row in rows]


async def list_page(tx: Transaction, state: State | None, role: str | None, page: PageRequest) -> Page[Credential]:
    statement = ListStatement(
        columns=_COLUMNS,
        tables="api_credentials",
        conditions=[
            "brand_ref = current_brand()",
            "($1::text is null or (revoked_at is null) = ($1 = 'active'))",
            "($2::text is null or role = $2)",
        ],
        parameters=[state, role],
        keys=KEYS,
    )
    found = await read_page(tx, statement, page)
    return found.of(lambda row: Credential(*list(row)[:8]))


async def find(tx: Transaction, ref: int) -> Credential | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS} from api_credentials where brand_ref = current_brand() and ref = $1",  # noqa: S608 - our own columns
        ref,
    )
    return None if row is None else Credential(*row)


async def count_active(tx: Transaction) -> int:
    number: int = await tx.fetchval(
        "select count(*) from api_credentials where brand_ref = current_brand() and revoked_at is null"
    )
    return number
