from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


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


_LISTED = """
select d.brand_ref, d.ref, d.user_ref, d.domain, d.status, d.failure, d.failed_at, d.registered_at, d.expires_at,
       d.registered_until, a.free_of_charge, not a.delete_on_expiry and d.ended_at is null
       and u.deleted_at is null and u.anonymised_at is null, p.name, s.name, d.account_package_ref, d.ended_at,
       d.released_at, d.deleted_at
  from account_domains d
  join held_packages a on a.brand_ref = d.brand_ref and a.user_ref = d.user_ref and a.ref = d.account_package_ref
  join account_holders u on u.brand_ref = d.brand_ref and u.ref = d.user_ref
  join package_terms p on p.ref = d.package_ref
  join supplier_list s on s.ref = d.dns_provider_ref
 where d.brand_ref = current_brand()
"""


async def brands_with_domains(connection: Transaction) -> list[int]:
    rows = await connection.fetch("select brands_with_account_domains() as brand_ref")
    return [row["brand_ref"] for row in rows]


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
    rows = await tx.fetch(
        "select ref from account_domains where brand_ref = current_brand() and failure is not null order by ref"
    )
    return [row["ref"] for row in rows]
