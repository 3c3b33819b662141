"""A brand's package events and charges between two days, and its subscribers and recurring revenue at the end."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import floor
from zoneinfo import ZoneInfo

import msgspec

from sitewright.accounts.billing.reports import store
from sitewright.accounts.billing.reports.errors import InvalidRange
from sitewright.catalogue.packages.service import currency_codes
from sitewright.kit.db import Transaction
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.schemas import BrandSettings

KINDS = (
    "registration",
    "trialRegistration",
    "subscription",
    "upgrade",
    "downgrade",
    "renewal",
    "change",
    "cancellation",
)
EARLIEST, LATEST = date(1970, 1, 1), date(2999, 12, 31)
OnStep = Callable[[int, int], None]
"""Progress callback: steps done, steps in all."""


class Days(msgspec.Struct, frozen=True):
    """A range of days, both ends inclusive, in the brand's time zone."""

    first: date
    last: date
    time_zone: str

    @property
    def since(self) -> datetime:
        return self._midnight(self.first)

    @property
    def until(self) -> datetime:
        """The end of the last day, exclusive."""
        return self._midnight(self.last + timedelta(days=1))

    def months(self) -> Iterator["Days"]:
        """Split by month; the first and the last month may be partial."""
        first = self.first
        while first <= self.last:
            next_month = (first.replace(day=1) + timedelta(days=31)).replace(day=1)
            yield Days(first, min(self.last, next_month - timedelta(days=1)), self.time_zone)
            first = next_month

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), ZoneInfo(self.time_zone)).astimezone(UTC)


class EventLine(msgspec.Struct, frozen=True):
    kind: str
    package: str
    count: int


class ChargeLine(msgspec.Struct, frozen=True):
    package: str
    currency: str
    count: int
    amount: Decimal


class SubscriberLine(msgspec.Struct, frozen=True):
    package: str
    paid: int
    trial: int
    free: int


class RevenueLine(msgspec.Struct, frozen=True):
    package: str
    currency: str
    count: int
    amount: Decimal


class Report(msgspec.Struct, frozen=True, kw_only=True):
    brand: str
    days: Days
    at: datetime
    """The instant for which subscribers and revenue are computed: the end of the last day, but not after now."""
    events: list[EventLine]
    charges: list[ChargeLine]
    subscribers: list[SubscriberLine]
    revenue: list[RevenueLine]


async def make_report(tx: Transaction, first: date | None, last: date | None, on_step: OnStep) -> Report:
    """For the transaction's brand. By default the last day is today, and the first day that month's first."""
    await store.read_only(tx)
    brand = await brands.settings_of_brand(tx)
    days = _days(brand, first, last)
    events, charges = await _events_and_charges(tx, days, on_step)
    at = min(days.until, brand.now)
    subscriber_groups = await store.subscriber_groups(tx, at)
    labels = _Labels(await store.package_names(tx), await currency_codes(tx))
    return Report(
        brand=brand.name,
        days=days,
        at=at,
        events=[
            EventLine(kind, labels.package(ref), count)
            for (kind, ref), count in sorted(
                events.items(), key=lambda item: (KINDS.index(item[0][0]), item[0][1] or 0)
            )
        ],
        charges=[
            ChargeLine(labels.package(package_ref), labels.currency(currency_ref), count, amount)
            for (package_ref, currency_ref), (count, amount) in sorted(charges.items())
        ],
        subscribers=_subscribers(subscriber_groups, labels),
        revenue=_revenue(subscriber_groups, labels),
    )


class _Labels(msgspec.Struct, frozen=True):
    packages: dict[int, str]
    currencies: dict[int, str]

    def package(self, ref: int | None) -> str:
        """With the ref, since two packages may have the same name."""
        return "none" if ref is None else f"{self.packages.get(ref, 'package')} ({ref})"

    def currency(self, ref: int | None) -> str:
        return "" if ref is None else self.currencies[ref]


def _days(brand: BrandSettings, first: date | None, last: date | None) -> Days:
    last = last or brand.now.astimezone(ZoneInfo(brand.time_zone)).date()
    first = first or last.replace(day=1)
    if first > last:
        raise InvalidRange(f"The first day, {first}, is after the last day, {last}.")
    if first < EARLIEST or last > LATEST:
        raise InvalidRange(f"The days of a report must be between {EARLIEST} and {LATEST}.")
    return Days(first, last, brand.time_zone)


Events = Counter[tuple[str, int | None]]
Charges = dict[tuple[int, int], tuple[int, Decimal]]


async def _events_and_charges(tx: Transaction, days: Days, on_step: OnStep) -> tuple[Events, Charges]:
    """Month by month, so that no statement takes long; months without events or charges at either end are skipped."""
    events: Events = Counter()
    charges: defaultdict[tuple[int, int], tuple[int, Decimal]] = defaultdict(lambda: (0, Decimal(0)))
    span = await store.span(tx)
    steps = [] if span is None else [each for each in days.months() if each.until > span[0] and each.since <= span[1]]
    for done, month in enumerate(steps):
        on_step(done, len(steps))
        for counted in await store.count_events(tx, month.since, month.until):
            events[counted.kind, counted.package_ref] += counted.events
        for summed in await store.sum_charges(tx, month.since, month.until):
            count, amount = charges[summed.package_ref, summed.currency_ref]
            charges[summed.package_ref, summed.currency_ref] = (count + summed.charges, amount + summed.amount)
    on_step(len(steps), len(steps))
    return events, charges


def _subscribers(subscriber_groups: Sequence[store.SubscriberGroup], labels: _Labels) -> list[SubscriberLine]:
    users: Counter[tuple[int, str]] = Counter()
    for each in subscriber_groups:
        users[each.package_ref, each.kind] += each.users
    return [
        SubscriberLine(labels.package(ref), users[ref, "paid"], users[ref, "trial"], users[ref, "free"])
        for ref in sorted({ref for ref, _ in users})
    ]


def _revenue(subscriber_groups: Sequence[store.SubscriberGroup], labels: _Labels) -> list[RevenueLine]:
    """Exact fractions are summed; each sum is rounded once."""
    users: Counter[tuple[int, int | None]] = Counter()
    revenue: defaultdict[tuple[int, int | None], Fraction] = defaultdict(Fraction)
    for each in subscriber_groups:
        if each.kind == "paid":
            users[each.package_ref, each.currency_ref] += each.users
            revenue[each.package_ref, each.currency_ref] += Fraction(each.price) / each.months
    return [
        RevenueLine(labels.package(key[0]), labels.currency(key[1]), users[key], _rounded(revenue[key]))
        for key in sorted(revenue, key=lambda key: (key[0], key[1] or 0))
    ]


def _rounded(amount: Fraction) -> Decimal:
    """To two decimals, halves up."""
    return Decimal(floor(amount * 100 + Fraction(1, 2))).scaleb(-2)
