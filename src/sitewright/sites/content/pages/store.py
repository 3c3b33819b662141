"""SQL of pages."""

from collections.abc import Sequence
from typing import Any

import asyncpg

from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.sites.content.errors import PageUrlTaken
from sitewright.sites.content.store import PAGE, Listed, list_rows

_HERE = "p.brand_ref = current_brand() and p.site_ref = $1"

_LISTED = Listed(
    table="pages",
    t="p",
    columns=PAGE,
    size="""
       500 + octet_length(p.title) + coalesce(octet_length(p.keywords), 0) + coalesce(octet_length(p.description), 0)
       + coalesce(octet_length(p.seo_title), 0) + coalesce(octet_length(p.headscript), 0)
       + coalesce(octet_length(p.bodyscript), 0)""",
    where="($6::text is null or p.type = $6)",
)


async def read_page(tx: Transaction, site_ref: int, page_ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(f"select {PAGE} from pages p where {_HERE} and p.ref = $2", site_ref, page_ref)  # noqa: S608


async def list_pages(
    tx: Transaction, site_ref: int, page_type: str | None, window: Window
) -> tuple[list[dict[str, Any]], bool]:
    """List at most `window.rows` pages by ref, and whether more were left out because of their size."""
    return await list_rows(tx, _LISTED, site_ref, window, page_type)


async def read_parents(tx: Transaction, site_ref: int) -> dict[int, int]:
    """Return the parent of each page."""
    rows = await tx.fetch(f"select p.ref, p.parent_id from pages p where {_HERE}", site_ref)  # noqa: S608
    return {ref: parent_id for ref, parent_id in rows}  # noqa: C416 - records are no pairs to `dict`


async def read_paths(tx: Transaction, site_ref: int) -> dict[int, str]:
    """Return the path of each page, in lower case."""
    rows = await tx.fetch(
        "select ref, request_key from pages where brand_ref = current_brand() and site_ref = $1", site_ref
    )
    return {ref: path for ref, path in rows}  # noqa: C416 - records are no pairs to `dict`


async def last_display_order(tx: Transaction, site_ref: int) -> int | None:
    last: int | None = await tx.fetchval(
        f"select max(p.display_order) from pages p where {_HERE}",  # noqa: S608
        site_ref,
    )
    return last


async def insert_page(tx: Transaction, site_ref: int, columns: dict[str, Any]) -> asyncpg.Record:
    names, places = ", ".join(columns), ", ".join(f"${number}" for number in range(2, len(columns) + 2))
    statement = (
        f"insert into pages as p (brand_ref, site_ref, {names}) values (current_brand(), $1, {places}) returning {PAGE}"  # noqa: S608
    )
    return await _write(tx, statement, site_ref, *columns.values())


async def update_page(tx: Transaction, page_ref: int, columns: dict[str, Any]) -> asyncpg.Record:
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, 2))
    statement = f"update pages p set {changes} where brand_ref = current_brand() and ref = $1 returning {PAGE}"  # noqa: S608
    return await _write(tx, statement, page_ref, *columns.values())


async def _write(tx: Transaction, statement: str, *values: Any) -> asyncpg.Record:
    try:
        row = await tx.fetchrow(statement, *values)
    except asyncpg.UniqueViolationError as error:
        raise PageUrlTaken from error
    assert row is not None  # noqa: S101 - inserted, or read under the same lock
    return row


async def place_pages(tx: Transaction, site_ref: int, page_ref: int, parent_id: int, order: Sequence[int]) -> None:
    """Set the parent of a page, and the order of all."""
    await tx.execute(
        """
        update pages p set display_order = x.place - 1, parent_id = case when p.ref = $2 then $3 else p.parent_id end
          from unnest($4::bigint[]) with ordinality as x (ref, place)
         where p.brand_ref = current_brand() and p.site_ref = $1 and p.ref = x.ref
           and (p.display_order <> x.place - 1 or p.ref = $2)
        """,
        site_ref,
        page_ref,
        parent_id,
        order,
    )


async def delete_page(tx: Transaction, site_ref: int, page_ref: int, parent_id: int) -> None:
    """Delete a page with its widgets; its child pages move to its parent."""
    await tx.execute(
        "update pages set parent_id = $3 where brand_ref = current_brand() and site_ref = $1 and parent_id = $2",
        site_ref,
        page_ref,
        parent_id,
    )
    await tx.execute("delete from pages where brand_ref = current_brand() and ref = $1", page_ref)
