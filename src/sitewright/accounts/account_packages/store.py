"""Account packages: what is read to decide a change, and the one statement that writes changes, one or thousands."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import asyncpg
import msgspec

from sitewright.accounts.account_packages.lifecycle import Change, Charge, Held, Started
from sitewright.accounts.account_packages.pricing import ListedPrice, Price
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.writing import Writing, write


class Situation(msgspec.Struct, frozen=True):
    """What is known before a package is given to a user. Read after the user's row was locked, or before it is made."""

    brand_ref: int
    zone: str
    default_package_ref: int | None
    brand_currency_ref: int | None
    user_currency_ref: int | None
    package: asyncpg.Record | None
    held: list[Held]
    prices: list[ListedPrice]
    rates: dict[int, Decimal]
    currency_codes: dict[int, str]


_PACKAGE = """
       p.ref as package_ref, p.name, p.product_type = 'subscription' as is_subscription, p.trial_days, p.active,
       p.allow_multiple_purchase, p.default_currency_ref as package_currency_ref, p.capabilities,
       (p.capabilities ->> 'liveSites')::integer as live_sites
"""
_PRICES = """
       (select jsonb_agg(jsonb_build_array(x.package_ref, x.is_resellers, x.currency_ref, x.billing_period_months,
                                           coalesce(x.offer_price, x.price)::text))
          from (select package_ref, false as is_resellers, currency_ref, billing_period_months, price, offer_price
                  from package_prices
                union all
                select package_ref, true, currency_ref, billing_period_months, price, offer_price from reseller_prices
                 where brand_ref = b.brand_ref and reseller_ref = {reseller_ref}) x
         where x.package_ref = p.ref {or_of_held}) as prices
"""
_OR_OF_HELD = """
            or x.package_ref in (select package_ref from account_packages
                                  where brand_ref = b.brand_ref and user_ref = u.ref and ended_at is null)
"""
SITUATION = f"""
select b.brand_ref, b.time_zone, b.default_package_ref, b.default_currency_ref, u.currency_ref, {_PACKAGE},
       (select jsonb_agg(to_jsonb(h) || jsonb_build_object('price', h.price::text, 'name', n.name) order by h.ref)
          from account_packages h join packages n on n.ref = h.package_ref
         where h.brand_ref = b.brand_ref and h.user_ref = u.ref and h.ended_at is null) as held,
       {_PRICES.format(reseller_ref="u.reseller_ref", or_of_held=_OR_OF_HELD)},
       (select jsonb_agg(jsonb_build_array(c.ref, c.currency_rate::text, c.alpha_code)) from currencies c) as currencies
  from users u join brands b on b.brand_ref = u.brand_ref
  left join packages p on p.ref = coalesce($2, b.default_package_ref)
 where u.brand_ref = current_brand() and u.ref = $1
"""  # noqa: S608 - fixed parts
_SITUATION_OF_NEW_USER = f"""
select nextval('users_ref_seq') as user_ref, b.brand_ref, b.time_zone, b.default_package_ref, b.default_currency_ref,
       $2::bigint as currency_ref, {_PACKAGE}, null as held, {_PRICES.format(reseller_ref="$1", or_of_held="")},
       null as currencies
  from brands b left join packages p on p.ref = b.default_package_ref
 where b.brand_ref = current_brand()
"""  # noqa: S608 - fixed parts


async def read_situation(tx: Transaction, user_ref: int, package_ref: int | None) -> Situation:
    """Without a package: the brand's default one."""
    return _situation(await tx.fetchrow(SITUATION, user_ref, package_ref))


async def read_situation_of_new_user(
    tx: Transaction, reseller_ref: int | None, currency_ref: int | None
) -> tuple[int, Situation]:
    """The ref that is the user's, and the situation with the brand's default package.

    There is nothing the user has, and nothing to compare or to convert.
    """
    row = await tx.fetchrow(_SITUATION_OF_NEW_USER, reseller_ref, currency_ref)
    assert row is not None  # noqa: S101 - the brand was read in this transaction
    return row["user_ref"], _situation(row)


def _situation(row: asyncpg.Record | None) -> Situation:
    assert row is not None  # noqa: S101 - the user was locked in this transaction
    currencies = msgspec.json.decode(row["currencies"] or "[]")
    return Situation(
        brand_ref=row["brand_ref"],
        zone=row["time_zone"],
        default_package_ref=row["default_package_ref"],
        brand_currency_ref=row["default_currency_ref"],
        user_currency_ref=row["currency_ref"],
        package=None if row["package_ref"] is None else row,
        held=[held_of(each, row["default_package_ref"]) for each in msgspec.json.decode(row["held"] or "[]")],
        prices=[_listed(*each) for each in msgspec.json.decode(row["prices"] or "[]")],
        rates={ref: Decimal(rate) for ref, rate, _ in currencies},
        currency_codes={ref: code for ref, _, code in currencies},
    )


def _listed(package_ref: int, is_resellers: bool, currency_ref: int, months: int, amount: str) -> ListedPrice:
    return ListedPrice(package_ref, is_resellers, currency_ref, months, Decimal(amount))


def held_of(row: Any, default_package_ref: int | None) -> Held:
    """From a row of `account_packages` with the package's name, as a record or as JSON."""
    return Held(
        ref=row["ref"],
        user_ref=row["user_ref"],
        package_ref=row["package_ref"],
        name=row["name"],
        is_subscription=row["is_subscription"],
        is_trial=row["is_trial"],
        price=Price(Decimal(row["price"]), row["currency_ref"], row["billing_period_months"]),
        is_default=row["package_ref"] == default_package_ref,
        delete_on_expiry=row["delete_on_expiry"],
        started_at=_instant(row["started_at"]),
        periods=row["periods"],
        due_at=None if row["due_at"] is None else _instant(row["due_at"]),
    )


def _instant(value: str | datetime) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


# Every change is one row of `wanted`; the statement has only the parts that its changes need. What ends goes before
# what starts, so that the index that forbids two current packages is content; events are numbered in the order the
# changes are given.
_TYPES = {
    "user_ref": "bigint",
    "kind": "text",
    "at": "timestamptz",
    "reason": "text",
    "from_package_ref": "bigint",
    "package_ref": "bigint",
    "months": "integer",
    "ended_ref": "bigint",
    "renewed_ref": "bigint",
    "renewed_until": "timestamptz",
    "started_package_ref": "bigint",
    "is_subscription": "boolean",
    "is_trial": "boolean",
    "price": "numeric",
    "currency_ref": "bigint",
    "delete_on_expiry": "boolean",
    "due_at": "timestamptz",
    "remind_at": "timestamptz",
    "free_of_charge": "boolean",
    "amount": "numeric",
    "charged_currency_ref": "bigint",
    "period_starts_at": "timestamptz",
    "period_ends_at": "timestamptz",
}
_WANTED = """
wanted as materialized (
    select nextval('lifecycle_events_ref_seq') as event_ref,
           case when w.started_package_ref is null then coalesce(w.renewed_ref, w.ended_ref)
                else nextval('account_packages_ref_seq') end as account_package_ref, w.*
      from (select *, {the_same} from unnest({arrays}) with ordinality w ({differing}, place)) w
     order by place
)"""
_ENDED = """
ended as (
    update account_packages a set ended_at = greatest(w.at, a.started_at), updated_at = w.changed_at, remind_at = null
      from wanted w where a.brand_ref = $1 and a.user_ref = w.user_ref and a.ref = w.ended_ref and a.ended_at is null
    returning a.ref
)"""
_RENEWED = """
renewed as (
    update account_packages a set periods = a.periods + 1, due_at = w.renewed_until, updated_at = w.changed_at,
           price = coalesce(w.amount, 0), currency_ref = coalesce(w.charged_currency_ref, a.currency_ref),
           free_of_charge = a.free_of_charge and w.amount is null
      from wanted w where a.brand_ref = $1 and a.user_ref = w.user_ref and a.ref = w.renewed_ref and a.ended_at is null
    returning a.ref
)"""
_STARTED = """
started as (
    insert into account_packages (brand_ref, ref, user_ref, package_ref, is_subscription, is_trial,
                                  billing_period_months, price, currency_ref, delete_on_expiry, started_at, due_at,
                                  remind_at, free_of_charge, updated_at)
    select $1, w.account_package_ref, w.user_ref, w.started_package_ref, w.is_subscription, w.is_trial, w.months,
           w.price, w.currency_ref, w.delete_on_expiry, w.at, w.due_at, w.remind_at, w.free_of_charge is true,
           w.changed_at
      from wanted w where w.started_package_ref is not null {after_ended}
)"""
_NOTED = """
noted as (
    insert into lifecycle_events (brand_ref, ref, user_ref, kind, at, reason, from_package_ref, package_ref,
                                  account_package_ref, billing_period_months)
    select $1, event_ref, user_ref, kind, at, reason, from_package_ref, package_ref, account_package_ref, months
      from wanted order by place
)"""
_CHARGED = """
charged as (
    insert into charges (brand_ref, user_ref, event_ref, account_package_ref, package_ref, currency_ref, amount,
                         billing_period_months, period_starts_at, period_ends_at, at)
    select $1, user_ref, event_ref, account_package_ref, package_ref, charged_currency_ref, amount, months,
           period_starts_at, period_ends_at, at
      from wanted where amount is not null order by place
)"""


class Needs(msgspec.Struct, frozen=True):
    """Which kinds of rows changes write beside their events."""

    ended: bool
    renewed: bool
    started: bool
    charged: bool


@lru_cache(maxsize=100)
def _parts(needs: Needs, differing: tuple[str, ...]) -> tuple[str, ...]:
    after_ended = "and (select count(*) from ended) >= 0" if needs.ended else ""
    parts = {
        _ENDED: needs.ended,
        _RENEWED: needs.renewed,
        _STARTED.format(after_ended=after_ended): needs.started,
        _CHARGED: needs.charged,
    }
    return (_wanted(differing), _NOTED, *(part for part, is_needed in parts.items() if is_needed))


def _wanted(differing: tuple[str, ...]) -> str:
    """Of thousands of trials that end, little differs: what is the same in all of them is sent once."""
    places = {name: f"${number}::{kind}" for number, (name, kind) in enumerate(_TYPES.items(), 3)}
    same = {"changed_at": "$2::timestamptz"} | {name: place for name, place in places.items() if name not in differing}
    return _WANTED.format(
        the_same=", ".join(f"{place} as {name}" for name, place in same.items()),
        arrays=", ".join(f"{places[name]}[]" for name in differing),
        differing=", ".join(differing),
    )


def _touched(needs: Needs) -> str:
    counted = ["(select count(*) from ended)"] if needs.ended else []
    counted += ["(select count(*) from renewed)"] if needs.renewed else []
    return f"select {' + '.join(counted) or '0'}"


class Columns(msgspec.Struct, frozen=True):
    """Changes as the one statement takes them."""

    differing: tuple[str, ...]
    """Columns that are sent row by row; of the others, one value is for all."""
    values: list[Any]
    needs: Needs
    touched: int
    """How many account packages there are that end or renew."""


def columns_of(changes: Sequence[Change]) -> Columns:
    columns = dict(zip(_TYPES, zip(*map(_columns, changes), strict=True), strict=True))
    same = {name: values[0] for name, values in columns.items() if values.count(values[0]) == len(values)}
    same.pop("user_ref", None)  # its rows tell how many there are
    return Columns(
        tuple(name for name in columns if name not in same),
        list((columns | same).values()),
        Needs(
            any(change.ended is not None for change in changes),
            any(change.renewed is not None for change in changes),
            any(change.started is not None for change in changes),
            any(change.charge is not None for change in changes),
        ),
        sum(change.ended is not None or change.renewed is not None for change in changes),
    )


async def write_changes(tx: Transaction, brand_ref: int, columns: Columns, now: datetime) -> None:
    """All of them, or an error. The users' rows are locked, so what is to end or renew is still there."""
    row = await write(tx, changes(brand_ref, columns, now), told=_touched(columns.needs))
    if row[0] != columns.touched:
        raise RuntimeError(f"{columns.touched - row[0]} account packages were changed by someone who did not wait")


def changes(brand_ref: int, columns: Columns, now: datetime) -> Writing:
    """To be written together with what else they need. That what ends or renews is still there is not looked at."""
    return Writing(_parts(columns.needs, columns.differing), (brand_ref, now, *columns.values))


def _columns(change: Change) -> tuple[Any, ...]:
    return (
        change.user_ref,
        change.kind.value,
        change.at,
        change.reason,
        change.from_package_ref,
        change.package_ref,
        change.months,
        None if change.ended is None else change.ended.ref,
        None if change.renewed is None else change.renewed.ref,
        change.renewed_until,
        *_started_columns(change.started),
        *_charge_columns(change.charge),
    )


def _started_columns(started: Started | None) -> tuple[Any, ...]:
    if started is None:
        return (None,) * 9
    return (
        started.terms.package_ref,
        started.terms.is_subscription,
        started.is_trial,
        started.price,
        started.currency_ref,
        started.delete_on_expiry,
        started.due_at,
        started.remind_at,
        started.free_of_charge or None,
    )


def _charge_columns(charge: Charge | None) -> tuple[Any, ...]:
    if charge is None:
        return (None,) * 4
    return charge.amount, charge.currency_ref, charge.period_starts_at, charge.period_ends_at


_LISTED = """
select a.ref, a.package_ref, a.started_at, a.ended_at, a.due_at, a.updated_at, a.delete_on_expiry,
       a.billing_period_months, a.is_trial, b.time_zone
  from account_packages a join brands b on b.brand_ref = a.brand_ref
 where a.brand_ref = current_brand() and a.user_ref = $1
"""


async def read_account_packages(tx: Transaction, user_ref: int, refs: Sequence[int]) -> list[asyncpg.Record]:
    return await tx.fetch(f"{_LISTED} and a.ref = any($2)", user_ref, refs)


async def read_page_of_account_packages(
    tx: Transaction, user_ref: int, content_type: str | None, window: Window
) -> list[asyncpg.Record]:
    """At most `window.rows` of them, in order; for `before` the nearest ones. `content_type`: only those of packages
    with this one."""
    rows = await tx.fetch(
        f"{_LISTED} and ($2::bigint is null or a.ref > $2) and ($3::bigint is null or a.ref < $3)"
        " and ($6::text is null"
        "      or exists (select from packages p where p.ref = a.package_ref and p.content_type = $6))"
        f" order by a.ref {window.direction} limit $4 offset $5",
        user_ref,
        *window.position,
        content_type,
    )
    return window.in_order(rows)


async def find_account_package(tx: Transaction, user_ref: int, ref: int) -> asyncpg.Record | None:
    return await tx.fetchrow(
        "select is_trial, due_at, ended_at from account_packages"
        " where brand_ref = current_brand() and user_ref = $1 and ref = $2",
        user_ref,
        ref,
    )


async def newest_account_package(tx: Transaction, user_ref: int, package_ref: int) -> tuple[int, datetime, datetime]:
    """Its ref, its start and the end of its period."""
    row = await tx.fetchrow(
        "select ref, started_at, due_at from account_packages"
        " where brand_ref = current_brand() and user_ref = $1 and package_ref = $2 order by ref desc limit 1",
        user_ref,
        package_ref,
    )
    assert row is not None  # noqa: S101 - it was given in this transaction
    return row["ref"], row["started_at"], row["due_at"]


async def set_delete_on_expiry(tx: Transaction, user_ref: int, ref: int, delete_on_expiry: bool, now: datetime) -> None:
    await tx.execute(
        "update account_packages set delete_on_expiry = $3, updated_at = $4"
        " where brand_ref = current_brand() and user_ref = $1 and ref = $2",
        user_ref,
        ref,
        delete_on_expiry,
        now,
    )


async def current_capabilities(tx: Transaction, user_ref: int) -> str | None:
    """Of the package the user subscribes to now, as the database keeps them."""
    capabilities: str | None = await tx.fetchval(
        "select p.capabilities from account_packages a join packages p on p.ref = a.package_ref"
        " where a.brand_ref = current_brand() and a.user_ref = $1 and a.is_subscription and a.ended_at is null",
        user_ref,
    )
    return capabilities
