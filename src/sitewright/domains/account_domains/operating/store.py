from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page
from sitewright.kit.prefixes import prefix_range


class ListedDomain(msgspec.Struct, frozen=True):
    brand_ref: int
    ref: int
    user_ref: int
    domain: str
    status: str
    failure: str | None
    failed_at: datetime | None
    registered_at: datetime
    expires_at: datetime
    registered_until: datetime | None
    is_free: bool
    auto_renew: bool
    package: str
    supplier: str
    account_package_ref: int
    ended_at: datetime | None
    released_at: datetime | None
    deleted_at: datetime | None
    due_at: datetime | None
    """When the registrar is called next."""
    owner_name: str

    @property
    def is_void(self) -> bool:
        """Whether its registration failed: it has ended, and is not charged."""
        return self.status == "failed" and self.ended_at is not None


_COLUMNS = """
d.brand_ref, d.ref, d.user_ref, d.domain, d.status, d.failure, d.failed_at, d.registered_at, d.expires_at,
       d.registered_until, a.free_of_charge, not a.delete_on_expiry and d.ended_at is null
       and u.deleted_at is null and u.anonymised_at is null, p.name, s.name, d.account_package_ref, d.ended_at,
       d.released_at, d.deleted_at, d.due_at, coalesce(nullif(concat_ws(' ', nullif(u.first_name, ''),
       nullif(u.last_name, '')), ''), u.username)
"""
_TABLES = """
account_domains d
  join held_packages a on a.brand_ref = d.brand_ref and a.user_ref = d.user_ref and a.ref = d.account_package_ref
  join account_holders u on u.brand_ref = d.brand_ref and u.ref = d.user_ref
  join package_terms p on p.ref = d.package_ref
  join supplier_list s on s.ref = d.dns_provider_ref
"""
_LISTED = f"select {_COLUMNS} from {_TABLES} where d.brand_ref = current_brand()"  # noqa: S608 - fixed parts
KEYS = {"ref": SortKey("d.ref"), "expires": SortKey("d.expires_at", "timestamptz")}
STATES = {
    "failed": "d.failure is not null",
    "deleted": "d.failure is null and d.deleted_at is not null",
    "pending": "d.failure is null and d.deleted_at is null and d.status = 'pending'",
    "active": "d.failure is null and d.deleted_at is null and d.status = 'active'",
    "expired": "d.failure is null and d.deleted_at is null and d.status = 'expired'",
}
"""The conditions of `service.state_of`."""


async def brand_of_domain(connection: Transaction, ref: int) -> int | None:
    brand_ref: int | None = await connection.fetchval("select brand_of_account_domain($1)", ref)
    return brand_ref


async def list_domains(tx: Transaction, *, failed_only: bool, limit: int) -> list[ListedDomain]:
    """Of the transaction's brand, newest first, without deleted ones unless they failed."""
    rows = await tx.fetch(
        _LISTED + " and (d.deleted_at is null or d.failure is not null) and (not $1 or d.failure is not null)"
        " order by d.ref desc limit $2",
        failed_only,
        limit,
    )
    return [ListedDomain(*row) for row in rows]


async def find_domain(tx: Transaction, ref: int) -> ListedDomain | None:
    row = await tx.fetchrow(_LISTED + " and d.ref = $1", ref)
    return None if row is None else ListedDomain(*row)


async def find_failing(tx: Transaction) -> list[int]:
    """Without released ones, for which the registrar has nothing left to do."""
    rows = await tx.fetch(
        "select ref from account_domains where brand_ref = current_brand() and failure is not null"
        " and released_at is null order by ref"
    )
    return [row["ref"] for row in rows]


async def list_of_brand(
    tx: Transaction,
    name_prefix: str | None,
    state: str | None,
    user_ref: int | None,
    refs: Sequence[int] | None,
    page: PageRequest,
) -> Page[ListedDomain]:
    """Deleted ones too. `name_prefix` is the beginning of a name; `state` is one of `STATES`."""
    conditions, parameters = ["d.brand_ref = current_brand()"], list[Any]()
    if state is not None:
        conditions.append(STATES[state])
    if user_ref is not None:
        parameters.append(user_ref)
        conditions.append(f"d.user_ref = ${len(parameters)}")
    if refs is not None:
        parameters.append(refs)
        conditions.append(f"d.ref = any(${len(parameters)}::bigint[])")
    if name_prefix is not None:
        parameters += prefix_range(name_prefix)
        low, high = len(parameters) - 1, len(parameters)
        conditions.append(f'd.domain collate "C" >= ${low} and d.domain collate "C" < ${high}')
    statement = ListStatement(
        columns=_COLUMNS, tables=_TABLES, conditions=conditions, parameters=parameters, keys=KEYS, ref="d.ref"
    )
    return (await read_page(tx, statement, page)).of(lambda row: ListedDomain(*list(row)[:-2]))
