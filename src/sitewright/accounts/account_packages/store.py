"""Account packages: reads the context of a decision, and writes changes, one or thousands."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import asyncpg
import msgspec

from sitewright.accounts.account_packages.columns import ChargeToWrite, Columns, columns_of, columns_of_charges
from sitewright.accounts.account_packages.lifecycle import Change, Held
from sitewright.accounts.account_packages.pricing import ListedPrice, Price
from sitewright.kit import clock
from sitewright.kit.arrays import array_text
from sitewright.kit.db import Transaction


class PackageContext(msgspec.Struct, frozen=True):
    """The data that a decision about a user's packages needs, read after the user's row was locked or inserted."""

    brand_ref: int
    zone: str
    clock_offset: timedelta
    default_package_ref: int | None
    brand_currency_ref: int | None
    user_currency_ref: int | None
    package: asyncpg.Record | None
    held: list[Held]
    prices: list[ListedPrice]
    rates: dict[int, Decimal]
    currency_codes: dict[int, str]

    @property
    def now(self) -> datetime:
        """The brand's time."""
        return clock.now() + self.clock_offset


_PACKAGE = """
       p.ref as package_ref, p.name, p.product_type = 'subscription' as is_subscription, p.trial_days, p.active,
       p.allow_multiple_purchase, p.default_currency_ref as package_currency_ref, p.capabilities,
       (p.capabilities ->> 'liveSites')::integer as live_sites
"""
_DOMAIN = """
       case when not {row}.is_subscription then
            (select d.domain from domain_holders d where d.brand_ref = {row}.brand_ref
                and d.account_package_ref = {row}.ref order by d.ref desc limit 1)
       end
"""


def domain_of(row: str) -> str:
    """SQL for the domain that an account package registers, or null; `row` is the alias of `account_packages`."""
    return _DOMAIN.format(row=row)


PRICES = """
       (select jsonb_agg(jsonb_build_array(x.package_ref, x.is_resellers, x.currency_ref, x.billing_period_months,
                                           x.amount::text))
          from (select package_ref, false as is_resellers, currency_ref, billing_period_months, amount
                  from package_price_list
                union all
                select package_ref, true, currency_ref, billing_period_months, amount from reseller_price_list
                 where brand_ref = b.brand_ref and reseller_ref = {reseller_ref}) x
         where x.package_ref = p.ref {or_of_held}) as prices
"""
_OR_OF_HELD = """
            or x.package_ref in (select package_ref from account_packages
                                  where brand_ref = b.brand_ref and user_ref = u.ref and ended_at is null)
"""
CONTEXT = f"""
select b.brand_ref, b.time_zone, b.clock_offset, b.default_package_ref, b.default_currency_ref, u.currency_ref,
       {_PACKAGE},
       (select jsonb_agg(to_jsonb(h) || jsonb_build_object('price', h.price::text, 'name', n.name,
                         'domain', {domain_of("h")}) order by h.ref)
          from account_packages h join package_terms n on n.ref = h.package_ref
         where h.brand_ref = b.brand_ref and h.user_ref = u.ref and h.ended_at is null) as held,
       {PRICES.format(reseller_ref="u.reseller_ref", or_of_held=_OR_OF_HELD)},
       (select jsonb_agg(jsonb_build_array(c.ref, c.currency_rate::text, c.alpha_code)) from currency_list c)
       as currencies
  from account_holders u join brand_settings b on b.brand_ref = u.brand_ref
  left join package_terms p on p.ref = coalesce($2, b.default_package_ref)
 where u.brand_ref = current_brand() and u.ref = $1
"""  # noqa: S608 - fixed parts
_CONTEXT_OF_NEW_USER = f"""
select b.brand_ref, b.time_zone, b.clock_offset, b.default_package_ref, b.default_currency_ref,
       $2::bigint as currency_ref, {_PACKAGE}, null as held, {PRICES.format(reseller_ref="$1", or_of_held="")},
       null as currencies
  from brand_settings b left join package_terms p on p.ref = b.default_package_ref
 where b.brand_ref = current_brand()
"""  # noqa: S608 - fixed parts


async def read_context(tx: Transaction, user_ref: int, package_ref: int | None) -> PackageContext:
    """Without a package: the brand's default one."""
    return _context(await tx.fetchrow(CONTEXT, user_ref, package_ref))


async def read_context_of_new_user(
    tx: Transaction, reseller_ref: int | None, currency_ref: int | None
) -> PackageContext:
    """With the brand's default package. A new user has no packages to compare, so no rates are read."""
    return _context(await tx.fetchrow(_CONTEXT_OF_NEW_USER, reseller_ref, currency_ref))


def _context(row: asyncpg.Record | None) -> PackageContext:
    assert row is not None  # noqa: S101 - the user or the brand was read in this transaction
    currencies = msgspec.json.decode(row["currencies"] or "[]")
    return PackageContext(
        brand_ref=row["brand_ref"],
        zone=row["time_zone"],
        clock_offset=row["clock_offset"],
        default_package_ref=row["default_package_ref"],
        brand_currency_ref=row["default_currency_ref"],
        user_currency_ref=row["currency_ref"],
        package=None if row["package_ref"] is None else row,
        held=[held_of(each, row["default_package_ref"]) for each in msgspec.json.decode(row["held"] or "[]")],
        prices=prices_of(row["prices"]),
        rates={ref: Decimal(rate) for ref, rate, _ in currencies},
        currency_codes={ref: code for ref, _, code in currencies},
    )


def prices_of(listed: str | None) -> list[ListedPrice]:
    """From the column of `PRICES`."""
    return [_listed(*each) for each in msgspec.json.decode(listed or "[]")]


def _listed(package_ref: int, is_resellers: bool, currency_ref: int, months: int, amount: str) -> ListedPrice:
    return ListedPrice(package_ref, is_resellers, currency_ref, months, Decimal(amount))


def held_of(row: Any, default_package_ref: int | None) -> Held:
    """From a row of `account_packages` with the names of the package and of its domain, as a record or as JSON."""
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
        domain=row["domain"],
    )


def _instant(value: str | datetime) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


# Changes are written with one statement for each table, whether one change or thousands. What ends is written before
# what starts, because an index forbids two current subscriptions. Refs are assigned in the order of the changes: a
# statement without a join inserts rows in the order of its arrays.
# Long arrays are texts (`kit.arrays`). Terms that thousands of changes have in common are sent once, and found by their
# number. `(select $3)` hides the length of an array from the planner, which would rather read the table than find a
# thousand rows by their key.
_END = """
update account_packages a
   set ended_at = greatest(ending.at, a.started_at), updated_at = $2, remind_at = null
  from unnest((select $3::text::bigint[]), (select $4::text::bigint[]), (select $5::text::timestamptz[]))
       as ending (user_ref, ref, at)
 where a.brand_ref = $1 and a.user_ref = ending.user_ref and a.ref = ending.ref and a.ended_at is null
"""
_RENEW = """
update account_packages a
   set periods = a.periods + 1, due_at = renewal.due_at, updated_at = $2, price = coalesce(renewal.amount, 0),
       currency_ref = coalesce(renewal.currency_ref, a.currency_ref),
       free_of_charge = a.free_of_charge and renewal.amount is null
  from unnest((select $3::text::bigint[]), (select $4::text::bigint[]), (select $5::text::timestamptz[]),
              (select $6::text::numeric[]), (select $7::text::bigint[]))
       as renewal (user_ref, ref, due_at, amount, currency_ref)
 where a.brand_ref = $1 and a.user_ref = renewal.user_ref and a.ref = renewal.ref and a.ended_at is null
"""
START = """
insert into account_packages (brand_ref, updated_at, user_ref, started_at, package_ref, is_subscription, is_trial,
                              billing_period_months, price, currency_ref, delete_on_expiry, due_at, remind_at,
                              free_of_charge)
select $1, $2, user_ref, started_at, ($6::bigint[])[terms], ($7::boolean[])[terms], ($8::boolean[])[terms],
       ($9::integer[])[terms], ($10::numeric[])[terms], ($11::bigint[])[terms], ($12::boolean[])[terms],
       ($13::timestamptz[])[terms], ($14::timestamptz[])[terms], ($15::boolean[])[terms]
  from unnest($3::text::bigint[], $4::text::timestamptz[], $5::text::integer[]) as started (user_ref, started_at, terms)
returning ref
"""
RECORD = """
insert into lifecycle_events (brand_ref, user_ref, at, account_package_ref, kind, reason, from_package_ref, package_ref,
                              billing_period_months)
select $1, user_ref, at, account_package_ref, ($6::text[])[terms], ($7::text[])[terms], ($8::bigint[])[terms],
       ($9::bigint[])[terms], ($10::integer[])[terms]
  from unnest($2::text::bigint[], $3::text::timestamptz[], $4::text::bigint[], $5::text::integer[])
       as event (user_ref, at, account_package_ref, terms)
returning ref
"""
_CHARGE = """
insert into charges (brand_ref, user_ref, event_ref, account_package_ref, package_ref, currency_ref, amount,
                     billing_period_months, period_starts_at, period_ends_at, at)
select $1, * from unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[],
                         $6::text::bigint[], $7::text::numeric[], $8::text::integer[], $9::text::timestamptz[],
                         $10::text::timestamptz[], $11::text::timestamptz[])
returning ref
"""


class WrittenChange(msgspec.Struct, frozen=True):
    """A change with the refs that it was written under."""

    change: Change
    account_package_ref: int | None
    """The one that started, was renewed or, where nothing replaces it, has ended."""
    charge_ref: int | None


async def write_changes(
    tx: Transaction, brand_ref: int, changes: Sequence[Change], now: datetime, columns: Columns | None = None
) -> list[WrittenChange]:
    """Writes all of them, or raises. The users' rows are locked, so packages that end or renew still exist.

    `columns`: the changes as `columns_of` returns them, where that was done before.
    """
    columns = columns or columns_of(changes)
    if columns.ending:
        ended = sum(change.ended is not None for change in changes)
        _require_all(await tx.execute(_END, brand_ref, now, *columns.ending), ended)
    if columns.renewals:
        renewed = sum(change.renewed is not None for change in changes)
        _require_all(await tx.execute(_RENEW, brand_ref, now, *columns.renewals), renewed)
    is_starting = any(change.started is not None for change in changes)
    started_refs = iter(_in_order(await tx.fetch(START, brand_ref, now, *columns.starting)) if is_starting else ())
    refs = [_existing_ref(change) if change.started is None else next(started_refs) for change in changes]
    event_refs = _in_order(await tx.fetch(RECORD, brand_ref, *columns.events, array_text(refs), *columns.event_terms))
    events = zip(changes, event_refs, refs, strict=True)
    charges = [(c, c.charge, event_ref, ref) for c, event_ref, ref in events if c.charge is not None]
    charge_refs = iter(await _charge(tx, brand_ref, charges))
    return [
        WrittenChange(change, ref, None if change.charge is None else next(charge_refs))
        for change, ref in zip(changes, refs, strict=True)
    ]


def _existing_ref(change: Change) -> int | None:
    held = change.renewed or change.ended
    return None if held is None else held.ref


def _require_all(status: str, expected: int) -> None:
    """`status`: what PostgreSQL reports for an update, with the number of rows at the end."""
    updated = int(status.rpartition(" ")[2])
    if updated != expected:
        raise RuntimeError(
            f"{expected - updated} account packages were changed by a transaction that did not lock the user"
        )


def _in_order(rows: Sequence[asyncpg.Record]) -> list[int]:
    """PostgreSQL may return rows in any order, but assigns their refs in the order of the insert."""
    return sorted(row["ref"] for row in rows)


async def _charge(tx: Transaction, brand_ref: int, charges: Sequence[ChargeToWrite]) -> list[int]:
    """The refs of the charges, in this order."""
    return _in_order(await tx.fetch(_CHARGE, brand_ref, *columns_of_charges(charges))) if charges else []


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
    assert row is not None  # noqa: S101 - it was assigned in this transaction
    return row["ref"], row["started_at"], row["due_at"]


class VoidedCharge(msgspec.Struct, frozen=True):
    ref: int
    package_ref: int
    amount: Decimal
    currency_code: str


async def void_charges(tx: Transaction, account_package_ref: int, now: datetime) -> list[VoidedCharge]:
    """All charges of an account package that are not void yet."""
    rows = await tx.fetch(
        "update charges h set voided_at = $2 from currency_list c where h.brand_ref = current_brand()"
        " and h.account_package_ref = $1 and h.voided_at is null and c.ref = h.currency_ref"
        " returning h.ref, h.package_ref, h.amount, c.alpha_code",
        account_package_ref,
        now,
    )
    return [VoidedCharge(*row) for row in rows]


async def set_delete_on_expiry(tx: Transaction, user_ref: int, ref: int, delete_on_expiry: bool, now: datetime) -> None:
    await tx.execute(
        "update account_packages set delete_on_expiry = $3, updated_at = $4"
        " where brand_ref = current_brand() and user_ref = $1 and ref = $2",
        user_ref,
        ref,
        delete_on_expiry,
        now,
    )


async def current_templates(tx: Transaction, user_ref: int) -> tuple[int | None, str | None]:
    """The template group and the capabilities of the user's current subscription."""
    row = await tx.fetchrow(
        "select p.template_group_ref, p.capabilities from account_packages a"
        " join package_terms p on p.ref = a.package_ref"
        " where a.brand_ref = current_brand() and a.user_ref = $1 and a.is_subscription and a.ended_at is null",
        user_ref,
    )
    return (None, None) if row is None else (row[0], row[1])


async def current_capabilities(tx: Transaction, user_ref: int) -> str | None:
    """The capabilities of the user's current subscription, as the database stores them."""
    capabilities: str | None = await tx.fetchval(
        "select p.capabilities from account_packages a join package_terms p on p.ref = a.package_ref"
        " where a.brand_ref = current_brand() and a.user_ref = $1 and a.is_subscription and a.ended_at is null",
        user_ref,
    )
    return capabilities


async def had_trial(tx: Transaction, user_ref: int, package_ref: int) -> bool:
    found: bool = await tx.fetchval(
        "select exists (select from account_packages where brand_ref = current_brand() and user_ref = $1"
        " and package_ref = $2 and is_trial and ended_at is not null)",
        user_ref,
        package_ref,
    )
    return found
