from datetime import datetime
from decimal import Decimal

import msgspec

from sitewright.kit.db import Transaction


class CountedEvents(msgspec.Struct, frozen=True):
    kind: str
    package_ref: int | None
    events: int


class SummedCharges(msgspec.Struct, frozen=True):
    package_ref: int
    currency_ref: int
    charges: int
    amount: Decimal


class SubscriberGroup(msgspec.Struct, frozen=True):
    """Users who had a package on the same terms at an instant, and what one period costs all of them together."""

    package_ref: int
    currency_ref: int | None
    months: int
    kind: str
    users: int
    price: Decimal


async def read_only(tx: Transaction) -> None:
    """One read-only snapshot for all statements of the transaction."""
    await tx.execute("set transaction isolation level repeatable read, read only")


async def span(tx: Transaction) -> tuple[datetime, datetime] | None:
    """The times of the brand's first and last event or charge."""
    row = await tx.fetchrow(
        "select min(at), max(at) from ("
        " (select at from package_events where brand_ref = current_brand() order by at limit 1)"
        " union all (select at from package_events where brand_ref = current_brand() order by at desc limit 1)"
        " union all (select at from package_charges where brand_ref = current_brand() order by at limit 1)"
        " union all (select at from package_charges where brand_ref = current_brand() order by at desc limit 1)) ends"
    )
    return None if row is None or row[0] is None else (row[0], row[1])


async def count_events(tx: Transaction, since: datetime, until: datetime) -> list[CountedEvents]:
    """A cancellation counts for the package that was cancelled, any other event for the one it led to."""
    rows = await tx.fetch(
        "select kind, case kind when 'cancellation' then coalesce(from_package_ref, package_ref) else package_ref end,"
        " count(*) from package_events where brand_ref = current_brand() and at >= $1 and at < $2 group by 1, 2",
        since,
        until,
    )
    return [CountedEvents(*row) for row in rows]


async def sum_charges(tx: Transaction, since: datetime, until: datetime) -> list[SummedCharges]:
    rows = await tx.fetch(
        "select package_ref, currency_ref, count(*), sum(amount) from package_charges"
        " where brand_ref = current_brand() and at >= $1 and at < $2 group by 1, 2",
        since,
        until,
    )
    return [SummedCharges(*row) for row in rows]


async def subscriber_groups(tx: Transaction, at: datetime) -> list[SubscriberGroup]:
    """Subscribers just before `at`, grouped by package, currency, period and status.

    The price is that of the period's charge; a free package or a trial, which has no charge, has its own price.
    """
    rows = await tx.fetch(
        "select package_ref, currency_ref, months,"
        "       case when is_trial then 'trial' when price > 0 then 'paid' else 'free' end, count(*), sum(price)"
        "  from (select a.package_ref, a.is_trial, coalesce(c.currency_ref, a.currency_ref) currency_ref,"
        "               coalesce(c.billing_period_months, a.billing_period_months) months,"
        "               coalesce(c.amount, a.price) price"
        "          from held_packages a"
        "          join account_holders u on u.brand_ref = a.brand_ref and u.ref = a.user_ref"
        "          left join package_charges c on c.brand_ref = a.brand_ref and c.account_package_ref = a.ref"
        "               and c.period_starts_at < $1 and c.period_ends_at >= $1"
        "         where a.brand_ref = current_brand() and a.is_subscription and a.started_at < $1"
        "           and (a.ended_at is null or a.ended_at >= $1)"
        "           and (u.deleted_at is null or u.deleted_at >= $1)) then_current"
        " group by 1, 2, 3, 4",
        at,
    )
    return [SubscriberGroup(*row) for row in rows]


async def package_names(tx: Transaction) -> dict[int, str]:
    return {row["ref"]: row["name"] for row in await tx.fetch("select ref, name from package_terms")}
