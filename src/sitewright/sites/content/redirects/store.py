"""SQL of redirects."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.sites.content.store import Listed, list_rows

_COLUMNS = "r.ref, r.from_path, r.page_ref, r.url, p.request as page_path, r.is_automatic, r.created_at, b.time_zone"
_JOINED = """
       join brand_settings b on b.brand_ref = r.brand_ref
       left join pages p on p.brand_ref = r.brand_ref and p.site_ref = r.site_ref and p.ref = r.page_ref
"""
_LISTED = Listed(
    table="site_redirects",
    t="r",
    columns=_COLUMNS,
    size="500 + octet_length(r.from_path) + coalesce(octet_length(r.url), 0)",
    joined=_JOINED,
)


class RedirectRow(msgspec.Struct, frozen=True):
    ref: int
    from_path: str
    page_ref: int | None
    url: str | None
    page_path: str | None
    """None where it leads to a URL, and while the page is deleted."""
    is_automatic: bool
    created_at: datetime
    time_zone: str


class Target(msgspec.Struct, frozen=True):
    """Where a redirect leads, for publishing: to the path of a page, or to a URL."""

    from_path: str
    page_path: str | None
    url: str | None


async def list_redirects(tx: Transaction, site_ref: int, window: Window) -> tuple[list[RedirectRow], bool]:
    """List at most `window.rows` redirects by ref, and whether more were left out because of their size."""
    rows, too_large = await list_rows(tx, _LISTED, site_ref, window)
    return [RedirectRow(**row) for row in rows], too_large


async def read_redirect(tx: Transaction, site_ref: int, ref: int) -> RedirectRow | None:
    row = await tx.fetchrow(
        f"select {_COLUMNS} from site_redirects r {_JOINED}"  # noqa: S608 - fixed parts
        " where r.brand_ref = current_brand() and r.site_ref = $1 and r.ref = $2",
        site_ref,
        ref,
    )
    return None if row is None else RedirectRow(*row)


async def read_targets(tx: Transaction, site_ref: int) -> list[Target]:
    """Read the redirects whose target exists."""
    rows = await tx.fetch(
        """
        select r.from_path, p.request_key, r.url from site_redirects r
          left join pages p on p.brand_ref = r.brand_ref and p.site_ref = r.site_ref and p.ref = r.page_ref
         where r.brand_ref = current_brand() and r.site_ref = $1 and (r.url is not null or p.ref is not null)
         order by r.from_path
        """,
        site_ref,
    )
    return [Target(*row) for row in rows]


async def find_page(tx: Transaction, site_ref: int, path: str) -> int | None:
    """Find the page with this address."""
    ref: int | None = await tx.fetchval(
        "select ref from pages where brand_ref = current_brand() and site_ref = $1 and request_key = $2",
        site_ref,
        path,
    )
    return ref


async def insert_redirect(
    tx: Transaction, site_ref: int, from_path: str, page_ref: int | None, url: str | None, at: datetime
) -> int | None:
    """Insert a redirect; it replaces one whose page is deleted. Returns None where there is another one."""
    ref: int | None = await tx.fetchval(
        """
        insert into site_redirects as r (brand_ref, site_ref, from_path, page_ref, url, is_automatic, created_at)
        values (current_brand(), $1, $2, $3, $4, false, $5)
            on conflict (brand_ref, site_ref, from_path) do update
           set page_ref = excluded.page_ref, url = excluded.url, is_automatic = false, created_at = excluded.created_at
         where r.url is null and not exists (select from pages p where p.brand_ref = r.brand_ref and p.ref = r.page_ref)
        returning ref
        """,
        site_ref,
        from_path,
        page_ref,
        url,
        at,
    )
    return ref


async def record_move(tx: Transaction, site_ref: int, page_ref: int, from_path: str, at: datetime) -> None:
    """Make the former address of a page lead to it."""
    await tx.execute(
        """
        insert into site_redirects (brand_ref, site_ref, from_path, page_ref, is_automatic, created_at)
        values (current_brand(), $1, $2, $3, true, $4)
            on conflict (brand_ref, site_ref, from_path) do update
           set page_ref = excluded.page_ref, url = null, is_automatic = true, created_at = excluded.created_at
        """,
        site_ref,
        from_path,
        page_ref,
        at,
    )


async def evict(tx: Transaction, site_ref: int, keep: int) -> int:
    """Delete the oldest automatic redirects beyond `keep`; return how many redirects the site then has."""
    evicted = await tx.fetchval(
        """
        with excess as (
             select ref from site_redirects where brand_ref = current_brand() and site_ref = $1
              order by is_automatic, created_at desc, ref desc offset $2),
             evicted as (
             delete from site_redirects r using excess where r.brand_ref = current_brand() and r.ref = excess.ref
                and r.is_automatic returning r.ref)
        select (select count(*) from site_redirects where brand_ref = current_brand() and site_ref = $1)
             - (select count(*) from evicted)
        """,
        site_ref,
        keep,
    )
    return int(evicted)


async def delete_from_paths(tx: Transaction, site_ref: int, paths: Sequence[str]) -> None:
    await tx.execute(
        "delete from site_redirects where brand_ref = current_brand() and site_ref = $1 and from_path = any($2)",
        site_ref,
        paths,
    )


async def delete_redirect(tx: Transaction, site_ref: int, ref: int) -> bool:
    """Delete a redirect; return whether there was one."""
    status = await tx.execute(
        "delete from site_redirects where brand_ref = current_brand() and site_ref = $1 and ref = $2", site_ref, ref
    )
    return status != "DELETE 0"
