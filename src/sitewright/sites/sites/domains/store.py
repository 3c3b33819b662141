"""SQL of mapped host names. A unique constraint keeps a name from being mapped twice, in any brand."""

from collections.abc import Sequence
from datetime import datetime

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.sites.sites.schemas import DomainMapping

_DOMAINS = "select ref, site_ref, domain from site_domains where brand_ref = current_brand() and site_ref = $1"
_HELD = """
with held as materialized (
    select ref from hold_domains(
        array(select ref from site_domains where brand_ref = current_brand() and site_ref = $1)) ref
)
"""
"""Several rows are locked in the order of `hold`, so that no two transactions wait for each other."""
_UNMAP_ALL = f"""
{_HELD}, freed as (
    delete from site_domains d using held where d.brand_ref = current_brand() and d.ref = held.ref
    returning d.brand_ref, d.site_ref, d.ref, d.domain
)
insert into former_site_domains (brand_ref, site_ref, ref, domain)
select brand_ref, site_ref, ref, domain from freed
returning ref, domain
"""  # noqa: S608 - fixed parts
_DELETE_ALL = f"""
{_HELD} delete from site_domains d using held where d.brand_ref = current_brand() and d.ref = held.ref
returning d.ref, d.domain
"""  # noqa: S608 - fixed parts
_MAP_AGAIN = """
insert into site_domains (brand_ref, ref, site_ref, domain, created_at)
select f.brand_ref, f.ref, f.site_ref, f.domain, $2 from former_site_domains f
 where f.brand_ref = current_brand() and f.site_ref = $1
   and coalesce(brand_of_host(f.domain), f.brand_ref) = f.brand_ref and f.domain = any($3)
 order by f.domain
on conflict (domain) do nothing
returning ref, domain
"""
_CHOOSE_PRIMARY = """
update sites s set updated_at = $2, primary_domain_ref = coalesce(
       (select d.ref from site_domains d
         where d.brand_ref = s.brand_ref and d.site_ref = s.ref and d.ref = s.primary_domain_ref),
       (select min(d.ref) from site_domains d where d.brand_ref = s.brand_ref and d.site_ref = s.ref))
 where s.brand_ref = current_brand() and s.ref = $1
"""


async def brand_of_name(tx: Transaction, name: str) -> int | None:
    """Return the brand whose domain this is, or is below."""
    brand_ref: int | None = await tx.fetchval("select brand_of_host($1)", name)
    return brand_ref


async def list_domains(tx: Transaction, site_ref: int) -> list[DomainMapping]:
    rows = await tx.fetch(f"{_DOMAINS} order by ref", site_ref)
    return [DomainMapping(*row) for row in rows]


async def list_domains_of_sites(tx: Transaction, site_refs: Sequence[int]) -> list[DomainMapping]:
    rows = await tx.fetch(
        "select ref, site_ref, domain from site_domains where brand_ref = current_brand() and site_ref = any($1)"
        " order by site_ref, ref",
        site_refs,
    )
    return [DomainMapping(*row) for row in rows]


async def read_page_of_domains(tx: Transaction, site_ref: int, window: Window) -> list[DomainMapping]:
    """List the domains of a page in ascending order; with `window.before` those directly before that ref."""
    rows = await tx.fetch(
        f"{_DOMAINS} and ($2::bigint is null or ref > $2) and ($3::bigint is null or ref < $3)"
        f" order by ref {window.direction} limit $4 offset $5",
        site_ref,
        *window.position,
    )
    return [DomainMapping(*row) for row in window.in_order(rows)]


async def count_domains(tx: Transaction, site_ref: int, limit: int) -> int:
    """Count the domains, up to `limit`."""
    found: int = await tx.fetchval(
        "select count(*) from"
        " (select from site_domains where brand_ref = current_brand() and site_ref = $1 limit $2) as counted",
        site_ref,
        limit,
    )
    return found


async def count_present_and_former(tx: Transaction, site_ref: int) -> int:
    """Count the mapped domains and those that a deleted site had."""
    found: int = await tx.fetchval(
        "select (select count(*) from site_domains where brand_ref = current_brand() and site_ref = $1)"
        " + (select count(*) from former_site_domains where brand_ref = current_brand() and site_ref = $1)",
        site_ref,
    )
    return found


async def domain_exists(tx: Transaction, site_ref: int, domain_ref: int) -> bool:
    found = await tx.fetchval(
        "select exists (select from site_domains where brand_ref = current_brand() and site_ref = $1 and ref = $2)",
        site_ref,
        domain_ref,
    )
    return found is True


async def hold(tx: Transaction, refs: Sequence[int]) -> list[int]:
    """Keep those of these domains that are mapped from being unmapped until the transaction ends; return them."""
    return [row["ref"] for row in await tx.fetch("select ref from hold_domains($1) ref", refs)]


async def insert_domain(tx: Transaction, site_ref: int, name: str, now: datetime) -> int:
    ref: int = await tx.fetchval(
        "insert into site_domains (brand_ref, site_ref, domain, created_at) values (current_brand(), $1, $2, $3)"
        " returning ref",
        site_ref,
        name,
        now,
    )
    return ref


async def delete_domain(tx: Transaction, site_ref: int, domain_ref: int) -> dict[int, str]:
    """Delete a domain of the site, and return its name; nothing if there was none."""
    rows = await tx.fetch(
        "delete from site_domains where brand_ref = current_brand() and site_ref = $1 and ref = $2"
        " returning ref, domain",
        site_ref,
        domain_ref,
    )
    return _names(rows)


async def delete_domains(tx: Transaction, site_ref: int) -> dict[int, str]:
    """Delete all domains of a site permanently, and return their names by ref."""
    return _names(await tx.fetch(_DELETE_ALL, site_ref))


async def unmap_all(tx: Transaction, site_ref: int) -> dict[int, str]:
    """Unmap all domains, record them so that `restore` can map them again, and return their names by ref."""
    return _names(await tx.fetch(_UNMAP_ALL, site_ref))


def _names(rows: Sequence[asyncpg.Record]) -> dict[int, str]:
    return {row["ref"]: row["domain"] for row in sorted(rows, key=lambda row: row["ref"])}


async def list_domains_of_users(tx: Transaction, user_refs: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return the owner, site and name of each domain of users who are not anonymized."""
    rows = await tx.fetch(
        "select s.user_ref, s.ref, d.domain from account_holders u"
        " join sites s on s.brand_ref = u.brand_ref and s.user_ref = u.ref"
        " join site_domains d on d.brand_ref = s.brand_ref and d.site_ref = s.ref"
        " where u.brand_ref = current_brand() and u.ref = any($1::bigint[]) and u.anonymised_at is null",
        user_refs,
    )
    return [(row[0], row[1], row[2]) for row in rows]


async def former_domains(tx: Transaction, site_ref: int) -> list[str]:
    """Return the recorded names of a deleted site."""
    rows = await tx.fetch(
        "select domain from former_site_domains where brand_ref = current_brand() and site_ref = $1", site_ref
    )
    return [row["domain"] for row in rows]


async def map_again(tx: Transaction, site_ref: int, names: Sequence[str], now: datetime) -> list[tuple[int, str]]:
    """Map those of the names that are recorded and still free, delete the records, and return what was mapped."""
    rows = await tx.fetch(_MAP_AGAIN, site_ref, now, names)
    await tx.execute("delete from former_site_domains where brand_ref = current_brand() and site_ref = $1", site_ref)
    return [(row["ref"], row["domain"]) for row in rows]


async def choose_primary(tx: Transaction, site_ref: int, now: datetime) -> None:
    """Keep the primary domain while it is mapped; else choose the oldest remaining one."""
    await tx.execute(_CHOOSE_PRIMARY, site_ref, now)


def is_taken(error: asyncpg.UniqueViolationError) -> bool:
    return error.constraint_name == "site_domains_by_name"


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch(
        "select ref, domain from site_domains where brand_ref = current_brand() and ref = any($1)", refs
    )
    return {row["ref"]: row["domain"] for row in rows}
