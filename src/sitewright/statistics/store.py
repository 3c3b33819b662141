"""SQL of figures. What is added, rebuilt and counted is in `migrations/statistics`."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias

import msgspec

from sitewright.kit.db import Transaction

FailureKind: TypeAlias = Literal["registration", "health"]


class Figure(msgspec.Struct, frozen=True, gc=False):
    """What was counted on a day; 0 where a figure has no package, currency or months."""

    name: str
    day: date
    package_ref: int
    currency_ref: int
    months: int
    value: Decimal


async def read_figures(tx: Transaction, first: date, last: date) -> list[Figure]:
    """Day by day from `first` on; all days before it are added up on the day before."""
    rows = await tx.fetch(
        "select figure, greatest(day, $1::date - 1), package_ref, currency_ref, months, sum(value)"
        "  from (select figure, day, package_ref, currency_ref, months, value from daily_figures"
        "         where brand_ref = current_brand() and day <= $2"
        "        union all"
        "        select figure, day, package_ref, currency_ref, months, value from figure_changes"
        "         where brand_ref = current_brand() and day <= $2) counted"
        " group by 1, 2, 3, 4, 5 having sum(value) <> 0",
        first,
        last,
    )
    return [Figure(*row) for row in rows]


async def package_names(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    rows = await tx.fetch("select ref, name from package_terms where ref = any($1::bigint[])", refs)
    return {row["ref"]: row["name"] for row in rows}


async def failing_domains(tx: Transaction, most: int) -> list[tuple[FailureKind, str, int]]:
    """The kinds and reasons of what fails, each with its number, the most frequent first."""
    rows = await tx.fetch("select kind, reason, domains from failing_domain_reasons($1)", most)
    return [(row["kind"], row["reason"], row["domains"]) for row in rows]


async def certificate_ends(tx: Transaction, ends_before: datetime, most: int) -> list[datetime]:
    return [row[0] for row in await tx.fetch("select certificate_ends($1, $2)", ends_before, most)]


async def count_later_certificates(tx: Transaction, ends_from: datetime, most: int) -> int:
    count: int = await tx.fetchval("select count_later_certificates($1, $2)", ends_from, most)
    return count


async def count_certificates(tx: Transaction, now: datetime, real_now: datetime) -> None:
    """Make the figures of certificates those of `real_now`, from the day of `now` on."""
    await tx.execute("select count_certificates($1, $2)", now, real_now)


async def fold(connection: Transaction, most: int) -> int:
    """Add counted changes of all brands to their daily figures, and return how many."""
    folded: int = await connection.fetchval("select fold_figure_changes($1)", most)
    return folded


async def brands_to_rebuild(connection: Transaction) -> list[int]:
    return [row[0] for row in await connection.fetch("select brands_to_rebuild()")]


async def all_brands(connection: Transaction) -> list[int]:
    return [row[0] for row in await connection.fetch("select all_brand_refs()")]


async def prepare_rebuild(tx: Transaction) -> None:
    """Rebuild a brand once at a time, without the usual limit of time. The lock comes before the snapshot."""
    await tx.execute("set local statement_timeout = '1h'")
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('rebuild_figures', current_brand()))")


async def take_request(tx: Transaction) -> bool | None:
    """Delete the request to rebuild the brand; return whether it was never counted before, None without a request."""
    is_first: bool | None = await tx.fetchval(
        "delete from figure_rebuilds where brand_ref = current_brand() returning is_first"
    )
    return is_first


async def rebuild(tx: Transaction, now: datetime, *, is_first: bool) -> int:
    """Return how many figures were wrong."""
    corrected: int = await tx.fetchval("select rebuild_figures($1, $2)", now, is_first)
    return corrected
