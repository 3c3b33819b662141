"""A brand's figures for a period, compared with the one before; reading them costs the same for any number of users."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from sitewright.catalogue.packages.service import currency_codes
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.statistics import store
from sitewright.statistics.figures import ACCOUNTS, CERTIFICATES, Figures, level_at
from sitewright.statistics.periods import EARLIEST, MAX_DAYS, DayError, Period, find_day_errors, period_of
from sitewright.statistics.schemas import (
    COUNTED,
    BrandStatistics,
    CertificatesLeft,
    Cohort,
    Compared,
    ComparedMoney,
    CurrencyFigures,
    DayFigures,
    FailingDomains,
    PackageAccounts,
)
from sitewright.statistics.store import Figure
from sitewright.tenants.brands import service as brands

WEEK, MONTH = timedelta(days=7), timedelta(days=30)

__all__ = [
    "COUNTED",
    "EARLIEST",
    "MAX_DAYS",
    "BrandStatistics",
    "CertificatesLeft",
    "Compared",
    "CurrencyFigures",
    "DayError",
    "DayFigures",
    "FailingDomains",
    "PackageAccounts",
    "Period",
    "find_day_errors",
    "period_of",
    "read",
    "today_of_brand",
]


async def today_of_brand(tx: Transaction) -> tuple[date, str]:
    """Today, and the time zone in which it is."""
    brand = await brands.settings_of_brand(tx)
    return brand.now.astimezone(ZoneInfo(brand.time_zone)).date(), brand.time_zone


async def read(tx: Transaction, period: Period) -> BrandStatistics:
    """For the transaction's brand."""
    before, weeks = period.previous, list(period.weeks())
    counted = await store.read_figures(tx, min(before.first, weeks[0].first), weeks[-1].last)
    figures = Figures(counted)
    days = await _days(tx, figures, period)
    before_days = await _days(tx, figures, before)
    return BrandStatistics(
        first=period.first.isoformat(),
        last=period.last.isoformat(),
        previous_from=before.first.isoformat(),
        previous_to=before.last.isoformat(),
        time_zone=period.time_zone,
        accounts=Compared(days[-1].accounts, before_days[-1].accounts),
        registered=_compared(figures, "registered", period),
        deleted=_compared(figures, "deleted", period),
        began_trial=_compared(figures, "tried", period),
        became_paying=_compared(figures, "paid", period),
        published_sites=Compared(days[-1].published_sites, before_days[-1].published_sites),
        visits=_compared(figures, "visits", period),
        views=_compared(figures, "views", period),
        failed_deliveries=Compared(*(sum(day.failed_deliveries for day in each) for each in (days, before_days))),
        failed_mails=Compared(*(sum(day.failed_mails for day in each) for each in (days, before_days))),
        failing_domain_count=Compared(days[-1].failing_domains, before_days[-1].failing_domains),
        failing_address_count=Compared(days[-1].failing_addresses, before_days[-1].failing_addresses),
        packages=await _packages(tx, figures, period),
        currencies=await _currencies(tx, figures, period),
        conversion=[_cohort(figures, week) for week in weeks],
        failing_domains=[FailingDomains(*each) for each in await store.failing_domains(tx, COUNTED)],
        certificates=_certificates_on(days[-1]),
        previous_certificates=_certificates_on(before_days[-1]),
        days=days,
        previous_days=before_days,
    )


def _compared(figures: Figures, name: str, period: Period) -> Compared:
    return Compared(figures.total(name, period), figures.total(name, period.previous))


async def _days(tx: Transaction, figures: Figures, period: Period) -> list[DayFigures]:
    certificates = [figures.levels(name, period) for name in CERTIFICATES]
    if period.last == clock.now().astimezone(ZoneInfo(period.time_zone)).date():
        for levels, current in zip(certificates, await _certificates_now(tx), strict=True):
            levels[-1] = max(current, levels[-1]) if current == COUNTED else current
    columns = [
        [day.isoformat() for day in period.days()],
        figures.accounts(period),
        figures.daily("registered", period),
        figures.daily("deleted", period),
        *(figures.levels(name, period) for name in ACCOUNTS.values()),
        figures.levels("published", period),
        figures.daily("visits", period),
        figures.daily("views", period),
        figures.failures("failed_deliveries", period),
        figures.failures("failed_mails", period),
        figures.failing_domains(period),
        figures.levels("failing_addresses", period),
        *certificates,
    ]
    return [DayFigures(*values) for values in zip(*columns, strict=True)]


async def _packages(tx: Transaction, figures: Figures, period: Period) -> list[PackageAccounts]:
    """Those that somebody has, or had at the end of the period before, by number of accounts."""
    held = figures.of(*ACCOUNTS.values())
    refs = sorted({figure.package_ref for figure in held})
    names = await store.package_names(tx, refs)
    listed = [_package([each for each in held if each.package_ref == ref], names.get(ref, ""), period) for ref in refs]
    return sorted(
        (each for each in listed if each.free or each.trial or each.paid or each.previous),
        key=lambda each: -(each.free + each.trial + each.paid),
    )


def _package(held: Sequence[Figure], name: str, period: Period) -> PackageAccounts:
    """`held`: the figures of one package."""
    counts = {
        state: int(level_at((each for each in held if each.name == figure), period.last))
        for state, figure in ACCOUNTS.items()
    }
    before = int(level_at(held, period.previous.last))
    return PackageAccounts(package_ref=held[0].package_ref, name=name, previous=before, **counts)


async def _currencies(tx: Transaction, figures: Figures, period: Period) -> list[CurrencyFigures]:
    codes = await currency_codes(tx)
    refs = sorted({figure.currency_ref for figure in figures.of("revenue", "charges")})
    return [_currency(figures, ref, codes.get(ref, ""), period) for ref in refs]


def _currency(figures: Figures, ref: int, code: str, period: Period) -> CurrencyFigures:
    revenue = figures.daily_revenue(ref, period)
    before = figures.daily_revenue(ref, period.previous)
    own = Figures(figure for figure in figures.of("charges", "charged") if figure.currency_ref == ref)
    charged = [
        sum((each.value for each in own.of("charged") if days.first <= each.day <= days.last), Decimal())
        for days in (period, period.previous)
    ]
    return CurrencyFigures(
        currency=code,
        monthly_revenue=ComparedMoney(_money(revenue[-1]), _money(before[-1])),
        charged=ComparedMoney(*map(_money, charged)),
        charges=_compared(own, "charges", period),
        daily_revenue=[_money(amount) for amount in revenue],
        previous_daily_revenue=[_money(amount) for amount in before],
    )


def _money(amount: Decimal) -> str:
    return f"{amount:.2f}"


def _cohort(figures: Figures, week: Period) -> Cohort:
    return Cohort(week.first.isoformat(), *(figures.total(name, week) for name in ("registered", "tried", "paid")))


def _certificates_on(day: DayFigures) -> CertificatesLeft:
    return CertificatesLeft(*(getattr(day, name) for name in CERTIFICATES))


async def _certificates_now(tx: Transaction) -> tuple[int, ...]:
    """Of all `CERTIFICATES`. Those of the last hour are newer than what was counted; each is read up to a limit."""
    now = clock.real_now()
    ends = await store.certificate_ends(tx, now + MONTH, COUNTED)
    expired = sum(end <= now for end in ends)
    within_a_week = sum(now < end <= now + WEEK for end in ends)
    later = await store.count_later_certificates(tx, now + MONTH, COUNTED)
    return expired, within_a_week, len(ends) - expired - within_a_week, later
