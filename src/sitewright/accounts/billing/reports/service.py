"""What happened in a brand between two days and was charged for it, and what its subscribers pay at the end of it."""

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
from sitewright.kit import clock
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
"""Called with how many steps are done, of how many."""


class Days(msgspec.Struct, frozen=True):
    """From the first to the last, both included, in the brand's zone."""

    first: date
    last: date
    time_zone: str

    @property
    def since(self) -> datetime:
        return self._midnight(self.first)

    @property
    def until(self) -> datetime:
        """The instant the last day is over."""
        return self._midnight(self.last + timedelta(days=1))

    def months(self) -> Iterator["Days"]:
        """Month by month, the first and the last perhaps not whole."""
        first = self.first
        while first <= self.last:
            following = (first.replace(day=1) + timedelta(days=31)).replace(day=1)
            yield Days(first, min(self.last, following - timedelta(days=1)), self.time_zone)
            first = following

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
    """The instant subscribers and revenue are of: the end of the last day, or now where that is yet to come."""
    events: list[EventLine]
    charges: list[ChargeLine]
    subscribers: list[SubscriberLine]
    revenue: list[RevenueLine]


async def make_report(tx: Transaction, first: date | None, last: date | None, on_step: OnStep) -> Report:
    """Of the transaction's brand. Without a last day up to today, without a first from that month's first day."""
    await store.read_only(tx)
    brand = await brands.settings_of_brand(tx)
    days = _days(brand, first, last)
    events, charges = await _happened(tx, days, on_step)
    at = min(days.until, clock.now())
    standings = await store.standings(tx, at)
    labels = _Labels(await store.package_names(tx), await store.currency_codes(tx))
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
        subscribers=_subscribers(standings, labels),
        revenue=_revenue(standings, labels),
    )


class _Labels(msgspec.Struct, frozen=True):
    packages: dict[int, str]
    currencies: dict[int, str]

    def package(self, ref: int | None) -> str:
        """Two packages may share a name, so the ref stands with it."""
        return "none" if ref is None else f"{self.packages.get(ref, 'package')} ({ref})"

    def currency(self, ref: int | None) -> str:
        return "" if ref is None else self.currencies[ref]


def _days(brand: BrandSettings, first: date | None, last: date | None) -> Days:
    last = last or clock.now().astimezone(ZoneInfo(brand.time_zone)).date()
    first = first or last.replace(day=1)
    if first > last:
        raise InvalidRange(f"The range would begin on {first} and end before that, on {last}.")
    if first < EARLIEST or last > LATEST:
        raise InvalidRange(f"A report is of days from {EARLIEST} to {LATEST}.")
    return Days(first, last, brand.time_zone)


Events = Counter[tuple[str, int | None]]
Charges = dict[tuple[int, int], tuple[int, Decimal]]


async def _happened(tx: Transaction, days: Days, on_step: OnStep) -> tuple[Events, Charges]:
    """Month by month, so that no statement takes long; only months in which something may have happened."""
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


def _subscribers(standings: Sequence[store.Standing], labels: _Labels) -> list[SubscriberLine]:
    users: Counter[tuple[int, str]] = Counter()
    for each in standings:
        users[each.package_ref, each.kind] += each.users
    return [
        SubscriberLine(labels.package(ref), users[ref, "paid"], users[ref, "trial"], users[ref, "free"])
        for ref in sorted({ref for ref, _ in users})
    ]


def _revenue(standings: Sequence[store.Standing], labels: _Labels) -> list[RevenueLine]:
    """Thirds of cents are summed as they are; each sum is rounded once."""
    users: Counter[tuple[int, int | None]] = Counter()
    revenue: defaultdict[tuple[int, int | None], Fraction] = defaultdict(Fraction)
    for each in standings:
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
