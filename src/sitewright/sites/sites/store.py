"""SQL of sites. The SQL of their host names is in `domains/store.py`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.data_export import DataExport
from sitewright.kit.db import Transaction
from sitewright.kit.paging import MAX_LIST_BYTES, Window
from sitewright.sites.sites.online import SiteState

_SITE = """
select s.ref, s.brand_ref, s.user_ref, s.profile_ref, s.template_ref, s.primary_domain_ref, p.domain as primary_domain,
       s.site_type, s.activation_status, s.protocol, s.redirect_to_primary, s.enabled, s.live, s.version_ref,
       s.last_version_ref, s.last_publish_at, s.created_at, s.deleted_at is not null as deleted
  from sites s
  left join site_domains p on p.brand_ref = s.brand_ref and p.ref = s.primary_domain_ref
"""
_VISIBLE_SITE = """
 where s.brand_ref = current_brand() and s.ref = $1 and ($2 or s.deleted_at is null)
   and ($3::bigint is null or s.reseller_ref = $3)
"""
_DOMAINS = """
array(select row(d.ref, d.domain) from site_domains d
       where d.brand_ref = s.brand_ref and d.site_ref = s.ref order by d.ref) as domains
"""
# Lists are limited in bytes. The numbers below (30, 2000, 200) are upper bounds of what a domain or a site adds to the
# response besides its own texts.
_DOMAIN_BYTES = """
(select coalesce(sum(30 + octet_length(d.domain)), 0) from site_domains d
  where d.brand_ref = current_brand() and d.site_ref = page.ref)
"""
_DETAILS = f"""
select s.*, {_DOMAINS}, b.time_zone, b.consistent_types, f.fields::text as fields,
       (select count(*) from site_pages g where g.brand_ref = s.brand_ref and g.site_ref = s.ref) as pages
  from sites s
  join brand_settings b on b.brand_ref = s.brand_ref
  join profile_fields f on f.brand_ref = s.brand_ref and f.ref = s.profile_ref
 where s.brand_ref = current_brand()
"""  # noqa: S608 - fixed parts
_PAGE_OF_USER = """
  with page as materialized (
       select s.ref, s.profile_ref from sites s
        where s.brand_ref = current_brand() and s.user_ref = $1 and ($2 or s.deleted_at is null)
          and ($3::bigint is null or s.ref > $3) and ($4::bigint is null or s.ref < $4)
        order by s.ref {direction} limit $5 offset $6),
       sums as materialized (
       select page.ref, coalesce(sum(2000 + octet_length(f.fields::text) + {domain_bytes}) over (
              order by page.ref {direction} rows between unbounded preceding and 1 preceding), 0) as bytes_before
         from page join profile_fields f on f.brand_ref = current_brand() and f.ref = page.profile_ref)
select ref, (select max(bytes_before) from sums) >= {max_bytes} as too_large
  from sums where bytes_before < {max_bytes} order by ref
"""
_LISTED = """
  with sums as materialized (
       select page.ref, coalesce(sum(200 + {domain_bytes}) over (
              order by page.ref {direction} rows between unbounded preceding and 1 preceding), 0) as bytes_before
         from unnest($1::bigint[]) page (ref))
select s.ref, {domains} from sums join sites s on s.brand_ref = current_brand() and s.ref = sums.ref
 where sums.bytes_before < {max_bytes} order by s.ref
"""
_CREATE = """
with claimed as (
    insert into site_domains (brand_ref, ref, site_ref, domain, created_at)
    values (current_brand(), nextval('site_domains_ref_seq'), nextval('sites_ref_seq'), $2, $6)
        on conflict (domain) do nothing returning ref, site_ref
), site as (
    insert into sites (brand_ref, ref, user_ref, reseller_ref, profile_ref, template_ref, primary_domain_ref,
                       activation_status, site_type, created_at, updated_at)
    select b.brand_ref, claimed.site_ref, $1, $7, $8, coalesce($3, b.default_template_ref), claimed.ref, $4,
           $5, $6, $6
      from brand_settings b, claimed where b.brand_ref = current_brand()
    returning ref, primary_domain_ref
)
select ref, primary_domain_ref from site
"""
_LIVE_SITES = """
select ref, user_ref, enabled and version_ref is not null as is_shown from sites
 where brand_ref = current_brand() and user_ref = any($1::bigint[]) and live and deleted_at is null
 order by user_ref, last_publish_at, ref
"""


class Site(msgspec.Struct, frozen=True):
    """The columns of a site that the rules read."""

    ref: int
    brand_ref: int
    user_ref: int
    profile_ref: int
    template_ref: int | None
    primary_domain_ref: int | None
    primary_domain: str | None
    site_type: str
    activation_status: str | None
    protocol: str
    redirect_to_primary: bool
    enabled: bool
    live: bool
    version_ref: int | None
    last_version_ref: int
    last_publish_at: datetime | None
    created_at: datetime
    deleted: bool

    @property
    def state(self) -> SiteState:
        """The site's own state; that of its owner (suspended, deleted) is not part of it."""
        return SiteState(self.version_ref is not None, self.live, self.enabled)


class Usage(msgspec.Struct, frozen=True):
    """What is counted against package limits."""

    live_sites: int
    pages: int


async def find_site(tx: Transaction, site_ref: int, reseller_ref: int | None, *, deleted: bool) -> Site | None:
    """Find a site; with `reseller_ref` only if its owner belongs to that reseller."""
    row = await tx.fetchrow(_SITE + _VISIBLE_SITE, site_ref, deleted, reseller_ref)
    return None if row is None else Site(*row)


async def lock_site(tx: Transaction, site_ref: int) -> None:
    """Lock the owner's row, then the site's. All code that locks both must use this order, to avoid deadlocks."""
    await tx.execute(
        "select lock_users(array[s.user_ref]) from sites s where s.brand_ref = current_brand() and s.ref = $1", site_ref
    )
    await lock_row(tx, site_ref)


async def lock_row(tx: Transaction, site_ref: int) -> None:
    """Lock the site's row only."""
    await tx.execute("select from sites where brand_ref = current_brand() and ref = $1 for no key update", site_ref)


async def list_of_user(tx: Transaction, user_ref: int, *, deleted: bool = False) -> list[Site]:
    """List the user's sites, oldest first. `deleted`: also the deleted ones."""
    rows = await tx.fetch(
        _SITE + " where s.brand_ref = current_brand() and s.user_ref = $1 and ($2 or s.deleted_at is null)"
        " order by s.ref",
        user_ref,
        deleted,
    )
    return [Site(*row) for row in rows]


async def list_newest_of_user(tx: Transaction, user_ref: int, most: int) -> list[Site]:
    rows = await tx.fetch(
        _SITE + " where s.brand_ref = current_brand() and s.user_ref = $1 order by s.ref desc limit $2", user_ref, most
    )
    return [Site(*row) for row in rows]


async def read_sites_of_user(tx: Transaction, user_ref: int, window: Window, *, deleted: bool) -> list[Site]:
    """At most `window.rows` of the user's sites, in order: the deleted ones, or the others."""
    rows = await tx.fetch(
        _SITE + " where s.brand_ref = current_brand() and s.user_ref = $1 and (s.deleted_at is not null) = $2"
        " and ($3::bigint is null or s.ref > $3) and ($4::bigint is null or s.ref < $4)"
        f" order by s.ref {window.direction} limit $5 offset $6",
        user_ref,
        deleted,
        *window.position,
    )
    return window.in_order([Site(*row) for row in rows])


async def read_details(tx: Transaction, site_ref: int) -> asyncpg.Record:
    """Read everything that responses contain of a site, whether it is deleted or not."""
    row = await tx.fetchrow(_DETAILS + " and s.ref = $1", site_ref)
    assert row is not None  # noqa: S101 - found earlier in this transaction
    return row


async def read_page_of_user(tx: Transaction, user_ref: int, window: Window, *, deleted: bool) -> tuple[list[int], bool]:
    """Return the refs of a page in order, and whether the page was cut because the response would be too large."""
    statement = _PAGE_OF_USER.format(direction=window.direction, max_bytes=MAX_LIST_BYTES, domain_bytes=_DOMAIN_BYTES)
    rows = await tx.fetch(statement, user_ref, deleted, *window.position)
    return [row["ref"] for row in rows], any(row["too_large"] for row in rows)


async def read_details_of(tx: Transaction, refs: Sequence[int]) -> list[asyncpg.Record]:
    return await tx.fetch(_DETAILS + " and s.ref = any($1) order by s.ref", list(refs))


async def read_page(tx: Transaction, reseller_ref: int | None, window: Window, *, deleted: bool) -> list[int]:
    """Return the refs of a page in ascending order; with `window.before` those directly before that ref."""
    conditions = ["brand_ref = current_brand()"]
    values: list[Any] = [window.rows, 0]
    if not deleted:
        conditions.append("deleted_at is null")
    if reseller_ref is not None:
        values.append(reseller_ref)
        conditions.append(f"reseller_ref = ${len(values)}")
    if window.before is not None:
        values.append(window.before)
        conditions.append(f"ref < ${len(values)}")
    elif window.after is not None:
        values.append(window.after)
        conditions.append(f"ref > ${len(values)}")
    else:
        values[1] = window.offset
    statement = (
        f"select ref from sites where {' and '.join(conditions)}"  # noqa: S608 - fixed parts
        f" order by ref {'' if window.before is None else 'desc'} limit $1 offset $2"
    )
    return sorted(row["ref"] for row in await tx.fetch(statement, *values))


async def search_page(tx: Transaction, part: str, reseller_ref: int | None, window: Window) -> list[int]:
    """Like `read_page`, for sites with a mapped domain that contains `part`. Deleted sites have no mapped domains."""
    is_backwards = window.before is not None
    cursor = window.before or window.after or 0
    offset = 0 if cursor else window.offset
    rows = await tx.fetch(
        "select ref from find_sites_by_domain($1, $2, $3, $4, $5) ref offset $6",
        part,
        reseller_ref,
        cursor,
        is_backwards,
        window.rows + offset,
        offset,
    )
    return sorted(row["ref"] for row in rows)


async def read_listed(tx: Transaction, refs: Sequence[int], window: Window) -> list[asyncpg.Record]:
    """Read listed sites up to the size limit of a list."""
    statement = _LISTED.format(
        direction=window.direction,
        max_bytes=MAX_LIST_BYTES,
        domains=_DOMAINS,
        domain_bytes=_DOMAIN_BYTES,
    )
    return await tx.fetch(statement, refs)


async def insert_site(
    tx: Transaction,
    user_ref: int,
    reseller_ref: int | None,
    profile_ref: int,
    domain: str,
    template_ref: int | None,
    activation_status: str | None,
    site_type: str,
    now: datetime,
) -> tuple[int, int] | None:
    """Insert a site with its primary domain. Returns the refs of both, or None (nothing is inserted) if the domain is
    taken.

    Without `template_ref` it gets the brand's default template. `reseller_ref` is the user's, copied for lists.
    """
    row = await tx.fetchrow(
        _CREATE, user_ref, domain, template_ref, activation_status, site_type, now, reseller_ref, profile_ref
    )
    return None if row is None else (row["ref"], row["primary_domain_ref"])


async def update_site(tx: Transaction, site_ref: int, columns: dict[str, Any]) -> None:
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
    await tx.execute(
        f"update sites set {changes} where brand_ref = current_brand() and ref = $1",  # noqa: S608 - fixed names
        site_ref,
        *columns.values(),
    )


async def delete_site(tx: Transaction, site_ref: int) -> None:
    """Delete a site and, by cascading foreign keys, what belongs to it. Its domains must be unmapped already."""
    await tx.execute("delete from sites where brand_ref = current_brand() and ref = $1", site_ref)


async def find_live_sites(tx: Transaction, user_refs: Sequence[int]) -> list[tuple[int, int, bool]]:
    """Return (site, user, whether visitors see it) of each live site, ordered by user, then by publish time."""
    return [(row["ref"], row["user_ref"], row["is_shown"]) for row in await tx.fetch(_LIVE_SITES, user_refs)]


async def take_offline(tx: Transaction, refs: Sequence[int], now: datetime) -> None:
    await tx.execute(
        "update sites set live = false, updated_at = $2 where brand_ref = current_brand() and ref = any($1::bigint[])",
        refs,
        now,
    )


async def lock_owner(tx: Transaction, user_ref: int) -> bool:
    """Lock the account holder's row; return whether the account holder exists and is not deleted."""
    await tx.execute("select lock_users(array[$1::bigint])", user_ref)
    is_active = await tx.fetchval(
        "select deleted_at is null from account_holders where brand_ref = current_brand() and ref = $1", user_ref
    )
    return is_active is True


async def set_current_version(
    tx: Transaction, site_ref: int, version_ref: int, at: datetime, *, is_publish: bool, last_version_ref: int
) -> None:
    await tx.execute(
        """
        update sites set version_ref = $2, updated_at = $3, last_version_ref = greatest(last_version_ref, $5),
               live = live or $4, last_publish_at = case when $4 then $3 else last_publish_at end
         where brand_ref = current_brand() and ref = $1
        """,
        site_ref,
        version_ref,
        at,
        is_publish,
        last_version_ref,
    )


async def unpublish_sites(tx: Transaction, user_ref: int) -> list[int]:
    """Return the sites that visitors saw before."""
    rows = await tx.fetch(
        "update sites s set live = false, version_ref = null from sites o"
        " where s.brand_ref = current_brand() and s.user_ref = $1 and o.brand_ref = s.brand_ref and o.ref = s.ref"
        " returning s.ref, o.live and o.enabled and o.version_ref is not null and o.deleted_at is null as was_shown",
        user_ref,
    )
    return sorted(row["ref"] for row in rows if row["was_shown"])


async def brand_of_site(tx: Transaction, site_ref: int) -> int | None:
    brand_ref: int | None = await tx.fetchval("select brand_of_site($1)", site_ref)
    return brand_ref


async def read_usage(tx: Transaction, site_ref: int, user_ref: int) -> Usage:
    """Count the user's other live sites, and the active pages of this one."""
    row = await tx.fetchrow(
        "select (select count(*) from sites where brand_ref = current_brand() and user_ref = $2 and live"
        "           and deleted_at is null and ref <> $1),"
        "       (select count(*) from site_pages where brand_ref = current_brand() and site_ref = $1"
        "           and status = 'active')",
        site_ref,
        user_ref,
    )
    assert row is not None  # noqa: S101 - an aggregate always returns a row
    return Usage(*row)


async def export_user(tx: Transaction, export: DataExport) -> None:
    """Sites with their host names, deleted ones too: their content is still stored."""
    await export.write(
        "sites.json",
        tx.cursor(
            'select row_to_json(x)::text from (select s.ref, s.profile_ref as "profileRef", s.template_ref as'
            ' "template", s.enabled, s.live, s.created_at as "created", s.last_publish_at as "lastPublish",'
            ' s.deleted_at as "deleted", array(select d.domain from site_domains d'
            "  where d.brand_ref = s.brand_ref and d.site_ref = s.ref order by d.ref) as domains"
            " from sites s where s.brand_ref = current_brand() and s.user_ref = $1 order by s.ref) x",
            export.user_ref,
        ),
    )


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The primary host name of each site that has one, also of soft-deleted ones."""
    rows = await tx.fetch(
        "select s.ref, d.domain from sites s"
        " join site_domains d on d.brand_ref = s.brand_ref and d.ref = s.primary_domain_ref"
        " where s.brand_ref = current_brand() and s.ref = any($1)",
        refs,
    )
    return {row["ref"]: row["domain"] for row in rows}
