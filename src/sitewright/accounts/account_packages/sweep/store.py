from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import asyncpg
import msgspec

from sitewright.accounts.account_packages.pricing import ListedPrice
from sitewright.accounts.account_packages.store import domain_of
from sitewright.kit import clock
from sitewright.kit.db import Transaction

BRAND_LOCKS = 58_613
BATCH_LOCKS = 58_615
LOCK_TIMEOUT = "1s"
"""How long a batch waits for rows that another transaction has locked (a site that is being published, for example)."""
ISOLATION_LOCK_TIMEOUT = "100ms"
"""The same while a failing batch is bisected, so that one locked row does not cost a second for each half."""
# Free add-ons stay free for as many as the subscription includes, the oldest first. A domain's product may no longer
# renew. Neither applies to subscriptions.
_DUE = f"""
select a.ref, a.user_ref, a.package_ref, p.name, a.is_subscription, a.is_trial, a.price, a.currency_ref,
       a.billing_period_months, a.delete_on_expiry, a.started_at, a.periods, a.due_at,
       p.default_currency_ref as package_currency_ref, u.currency_ref as user_currency_ref, u.reseller_ref,
       u.deleted_at is not null or u.anonymised_at is not null as is_deleted,
       case when a.free_of_charge then
            (select count(*) from account_packages f where f.brand_ref = a.brand_ref and f.user_ref = a.user_ref
                and f.free_of_charge and f.ended_at is null and f.ref <= a.ref)
            <= (select (i.capabilities ->> 'freeDomains')::integer from account_packages s
                  join package_terms i on i.ref = s.package_ref
                 where s.brand_ref = a.brand_ref and s.user_ref = a.user_ref and s.is_subscription
                   and s.ended_at is null)
       end as stays_free,
       case when not a.is_subscription then
            exists (select from domain_offers d where d.package_ref = a.package_ref and d.renewal_active = 0)
       end as renewal_stopped,
       {domain_of("a")} as domain
  from account_packages a join account_holders u on u.brand_ref = a.brand_ref and u.ref = a.user_ref
  join package_terms p on p.ref = a.package_ref
 where a.brand_ref = current_brand() and a.ended_at is null
"""  # noqa: S608 - fixed parts


Share = tuple[int, int]
"""A brand, and how many changes it may have in this round."""


async def shares(connection: Transaction, until: datetime, limit: int, finished: Collection[int]) -> list[Share]:
    """The brands that have due changes, except the finished ones, in random order; they share the limit evenly."""
    rows = await connection.fetch("select * from due_package_shares($1, $2, $3)", until, limit, finished)
    return [(row["brand_ref"], row["share"]) for row in rows]


async def try_lock_brand(connection: Transaction, brand_ref: int) -> bool:
    """Session-level advisory lock: one worker at a time sweeps a brand, so that changes happen in the order they are
    due. Released with the connection at the latest.

    Not granted while a batch of a former holder is open: PostgreSQL may still be writing that of a killed worker.
    """
    return (
        await connection.fetchval(
            """
            select case when not pg_try_advisory_lock($1, hashint8($3)) then false
                        when pg_try_advisory_lock($2, hashint8($3)) then pg_advisory_unlock($2, hashint8($3))
                        else not pg_advisory_unlock($1, hashint8($3)) end
            """,
            BRAND_LOCKS,
            BATCH_LOCKS,
            brand_ref,
        )
        is True
    )


async def unlock_brand(connection: Transaction, brand_ref: int) -> None:
    await connection.execute("select pg_advisory_unlock($1, hashint8($2))", BRAND_LOCKS, brand_ref)


async def begin_batch(tx: Transaction) -> None:
    """Shared advisory lock until the end of the transaction, since batches of the same sweep overlap."""
    await tx.execute("select pg_advisory_xact_lock_shared($1, hashint8(current_brand()))", BATCH_LOCKS)


class BrandTerms(msgspec.Struct, frozen=True):
    zone: str
    default_package_ref: int | None
    default_package_name: str | None
    default_live_sites: int
    default_currency_ref: int | None
    clock_offset: timedelta

    @property
    def now(self) -> datetime:
        """The brand's time."""
        return clock.now() + self.clock_offset


async def read_brand(tx: Transaction) -> BrandTerms:
    row = await tx.fetchrow(
        "select b.time_zone, p.ref, p.name, coalesce((p.capabilities ->> 'liveSites')::integer, 0),"
        " b.default_currency_ref, b.clock_offset from brand_settings b"
        " left join package_terms p on p.ref = b.default_package_ref"
        " where b.brand_ref = current_brand()"
    )
    assert row is not None  # noqa: S101 - it has due packages
    return BrandTerms(*row)


Position = tuple[datetime, int]
"""The keyset cursor of an account package among the due ones: its due time and ref."""


async def lock_users_with_due(
    tx: Transaction, after: Position | None, until: datetime, limit: int
) -> tuple[list[int], Position] | None:
    """Locks the users whose packages are due first; returns their refs and the position of the last due package.

    Users whose row is locked are left to a later sweep, and failed users to their outbox.
    """
    due_after, ref_after = after or (None, 0)
    row = await tx.fetchrow(
        """
        with due as materialized (
            select user_ref, due_at, ref from account_packages
             where brand_ref = current_brand() and ended_at is null and due_at <= $1
               and (due_at, ref) > (coalesce($2::timestamptz, '-infinity'), $3::bigint)
               and user_ref not in (select user_ref from package_sweep_failures where brand_ref = current_brand())
             order by due_at, ref limit $4
        ), locked as materialized (
            select lock_free_users(array(select user_ref from due)) as ref
        )
        select array(select ref from locked), due_at, ref, set_config('lock_timeout', $5, true)
          from due order by due_at desc, ref desc limit 1
        """,
        until,
        due_after,
        ref_after,
        limit,
        LOCK_TIMEOUT,
    )
    return None if row is None else (row[0], (row[1], row[2]))


async def lock_free_users(tx: Transaction, user_refs: Sequence[int]) -> list[int]:
    """Locks the users whose row no other transaction has locked, and returns their refs."""
    row = await tx.fetchrow(
        "select array(select lock_free_users($1)), set_config('lock_timeout', $2, true)",
        user_refs,
        ISOLATION_LOCK_TIMEOUT,
    )
    assert row is not None  # noqa: S101 - it has no condition
    refs: list[int] = row[0]
    return refs


async def read_due(tx: Transaction, until: datetime, user_refs: Sequence[int]) -> list[asyncpg.Record]:
    """Due account packages of these users, in due order. The users are locked."""
    return await tx.fetch(
        _DUE + " and a.user_ref = any($1) and a.due_at <= $2 order by a.due_at, a.ref",
        user_refs,
        until,
    )


async def read_running(tx: Transaction, user_ref: int, account_package_ref: int) -> asyncpg.Record | None:
    """A current account package, with the columns of `read_due`. Its user is locked."""
    return await tx.fetchrow(
        _DUE + " and a.user_ref = $1 and a.ref = $2 and a.due_at is not null", user_ref, account_package_ref
    )


async def read_with_period(tx: Transaction, user_ref: int) -> list[asyncpg.Record]:
    """The user's current account packages that have a period, in due order, with the columns of `read_due`."""
    return await tx.fetch(_DUE + " and a.user_ref = $1 and a.due_at is not null order by a.due_at, a.ref", user_ref)


async def read_prices(
    tx: Transaction, package_refs: Collection[int], reseller_refs: Collection[int]
) -> list[tuple[int | None, ListedPrice]]:
    """All prices of the packages, each with its reseller or None."""
    rows = await tx.fetch(
        "select null as reseller_ref, package_ref, currency_ref, billing_period_months, amount"
        "  from package_price_list where package_ref = any($1)"
        " union all"
        " select reseller_ref, package_ref, currency_ref, billing_period_months, amount"
        "  from reseller_price_list"
        "  where brand_ref = current_brand() and package_ref = any($1) and reseller_ref = any($2)",
        package_refs,
        reseller_refs,
    )
    return [
        (reseller_ref, ListedPrice(package_ref, reseller_ref is not None, currency_ref, months, amount))
        for reseller_ref, package_ref, currency_ref, months, amount in rows
    ]


async def due_times(tx: Transaction, until: datetime, limit: int) -> list[datetime]:
    """When the first packages and reminders are due until then, without those of failed users."""
    rows = await tx.fetch(
        "(select due_at as at from account_packages"
        "  where brand_ref = current_brand() and ended_at is null and due_at <= $1"
        "    and user_ref not in (select user_ref from package_sweep_failures where brand_ref = current_brand())"
        "  order by due_at, ref limit $2)"
        " union all"
        " (select remind_at from account_packages"
        "  where brand_ref = current_brand() and ended_at is null and remind_at <= $1"
        "  order by remind_at, ref limit $2)"
        " order by at limit $2",
        until,
        limit,
    )
    return [row["at"] for row in rows]


async def claim_reminders(tx: Transaction, now: datetime, limit: int) -> list[asyncpg.Record]:
    """Claims trials whose reminder is due; each is claimed once. Callers skip those that have ended (`is_running`).

    `materialized`: else the limit may be applied again for every row of the join.
    """
    return await tx.fetch(
        "with due as materialized ("
        "  select brand_ref, user_ref, ref from account_packages"
        "   where brand_ref = current_brand() and ended_at is null and remind_at <= $1"
        "   order by remind_at, ref limit $2 for update skip locked"
        "), taken as ("
        "  update account_packages a set remind_at = null from due"
        "   where (a.brand_ref, a.user_ref, a.ref) = (due.brand_ref, due.user_ref, due.ref)"
        "   returning a.user_ref, a.package_ref, a.due_at"
        ") select t.user_ref, t.due_at, p.name, t.due_at > $1 as is_running from taken t"
        " join package_terms p on p.ref = t.package_ref order by t.due_at, t.user_ref",
        now,
        limit,
    )


async def postpone_first_reminder(tx: Transaction, now: datetime, until: datetime) -> int | None:
    """Postpones the one that `claim_reminders` would claim first; clears it if its trial ends before then."""
    ref: int | None = await tx.fetchval(
        "with first as materialized ("
        "  select user_ref, ref from account_packages"
        "   where brand_ref = current_brand() and ended_at is null and remind_at <= $1"
        "   order by remind_at, ref limit 1 for update skip locked"
        ") update account_packages a set remind_at = case when a.due_at > $2 then $2 end from first"
        " where a.brand_ref = current_brand() and (a.user_ref, a.ref) = (first.user_ref, first.ref) returning a.ref",
        now,
        until,
    )
    return ref


async def overdue_change(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest change is due, without those of failed users; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_package($1)", now)
    return overdue


async def overdue_reminder(connection: Transaction, now: datetime) -> timedelta | None:
    """For how long the oldest reminder is due; across brands."""
    overdue: timedelta | None = await connection.fetchval("select $1 - oldest_due_reminder($1)", now)
    return overdue
