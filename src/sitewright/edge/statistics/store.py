"""SQL of page views. A row has what was counted of one page, or one referrer, on one day."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

import msgspec

from sitewright.kit.db import Transaction


class Views(msgspec.Struct):
    views: int = 0
    visits: int = 0


Key = tuple[int, str, str]
"""The ref of the site, `page` or `referrer`, and its name."""


async def add(tx: Transaction, at: datetime, counts: Mapping[Key, Views]) -> None:
    await tx.execute(
        "select record_visits($1, $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])",
        at,
        *zip(*((*key, each.views, each.visits) for key, each in counts.items()), strict=True),
    )


async def by_day(tx: Transaction, site_ref: int, first: date) -> dict[date, Views]:
    rows = await tx.fetch(
        "select day, sum(views)::bigint, sum(visits)::bigint from site_visits"
        " where brand_ref = current_brand() and site_ref = $1 and kind = 'page' and day >= $2 group by day",
        site_ref,
        first,
    )
    return {row[0]: Views(*row[1:]) for row in rows}


async def most(tx: Transaction, site_ref: int, kind: str, first: date, limit: int) -> Sequence[tuple[str, int, int]]:
    """The names with the most views: name, views, visits."""
    rows = await tx.fetch(
        "select name, sum(views)::bigint, sum(visits)::bigint from site_visits"
        " where brand_ref = current_brand() and site_ref = $1 and kind = $2 and day >= $3"
        " group by name order by 2 desc, 1 limit $4",
        site_ref,
        kind,
        first,
        limit,
    )
    return [tuple(row) for row in rows]


async def delete_of_user(tx: Transaction, user_ref: int) -> None:
    await tx.execute(
        "delete from site_visits v using hosted_sites s where v.brand_ref = current_brand()"
        " and s.brand_ref = v.brand_ref and s.ref = v.site_ref and s.user_ref = $1",
        user_ref,
    )


async def prune(connection: Transaction, older_than: date, limit: int) -> int:
    """Delete old rows of all brands, and return how many were deleted."""
    removed: int = await connection.fetchval("select prune_site_visits($1, $2)", older_than, limit)
    return removed
