"""Schemas of a brand's figures."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.statistics.periods import DEFAULT_DAYS, MAX_DAYS
from sitewright.statistics.store import FailureKind

COUNTED = 10_000
"""What is counted when it is read is counted up to here."""
UP_TO = f"counted up to {COUNTED:,}"


def _name_in_json(name: str) -> str:
    """`from` is no name in Python."""
    first, *others = {"first": "from", "last": "to"}.get(name, name).split("_")
    return first + "".join(word.title() for word in others)


class PeriodFilter(msgspec.Struct, frozen=True, rename=_name_in_json):
    """Which days the figures are of, in the brand's time zone."""

    first: (
        Annotated[str, about(f"The first day; left out: {DEFAULT_DAYS - 1} days before `to`.", "2026-01-01")] | None
    ) = None
    last: (
        Annotated[
            str,
            about(f"The last day, included; at most {MAX_DAYS} days. Left out, or later: today.", "2026-01-31"),
        ]
        | None
    ) = None


class Compared(msgspec.Struct, frozen=True):
    """A number of the period, and of the one before."""

    current: Annotated[int, about("In the period, or at its end.", 120)]
    previous: Annotated[int, about("In the period before, or at its end.", 96)]


class ComparedMoney(msgspec.Struct, frozen=True):
    """An amount of the period, and of the one before."""

    current: Annotated[str, about("In the period, or at its end; with two decimals.", "1290.00")]
    previous: Annotated[str, about("In the period before, or at its end.", "1105.50")]


class PackageAccounts(msgspec.Struct, frozen=True, rename="camel"):
    """The accounts with a package at the end of the period."""

    package_ref: Annotated[int, about("The package.", 3)]
    name: Annotated[str, about("Its name.", "Pro")]
    free: Annotated[int, about("Accounts that have it free of charge.", 0)]
    trial: Annotated[int, about("Accounts that try it.", 4)]
    paid: Annotated[int, about("Accounts that pay for it.", 21)]
    previous: Annotated[int, about("All accounts with it at the end of the period before.", 19)]


class CurrencyFigures(msgspec.Struct, frozen=True, rename="camel"):
    """Money in one currency."""

    currency: Annotated[str, about("The currency's code.", "EUR")]
    monthly_revenue: Annotated[
        ComparedMoney,
        about(
            "What subscriptions are worth a month at the end of the period: the last charge of each, by month.",
            {"current": "1290.00", "previous": "1105.50"},
        ),
    ]
    charged: Annotated[ComparedMoney, about("The sum of all charges.", {"current": "1410.90", "previous": "1201.00"})]
    charges: Annotated[Compared, about("The number of charges.", {"current": 71, "previous": 60})]
    daily_revenue: Annotated[
        list[str], about("The monthly revenue at the end of each of `days`.", ["1290.00", "1299.00"])
    ]
    previous_daily_revenue: Annotated[list[str], about("The same for each of `previousDays`.", ["1080.00", "1105.50"])]


class Cohort(msgspec.Struct, frozen=True):
    """What the users who registered in one week did until now."""

    week: Annotated[str, about("The week's Monday.", "2026-01-26")]
    registered: Annotated[int, about("Users who registered in it, deleted ones included.", 40)]
    trial: Annotated[int, about("Those of them who began a trial.", 25)]
    paid: Annotated[int, about("Those of them who paid for a subscription.", 9)]


class FailingDomains(msgspec.Struct, frozen=True):
    """Domains that fail for one reason."""

    kind: Annotated[
        FailureKind,
        about(
            "Registered domains that the registrar refused, or addresses of sites whose health check fails.", "health"
        ),
    ]
    reason: Annotated[
        str,
        about(
            "`registration`: what the registrar said. `health`: the `code` of the first failing check.", "certificate"
        ),
    ]
    domains: Annotated[int, about("How many.", 2)]


class CertificatesLeft(msgspec.Struct, frozen=True, rename="camel"):
    """Certificates by the days that are left. Those that another one has replaced count in `later` only."""

    expired: Annotated[int, about("Expired.", 0)]
    within_7_days: Annotated[int, about("They expire within 7 days.", 1)]
    within_30_days: Annotated[int, about("They expire within 30 days, but not within 7.", 3)]
    later: Annotated[int, about("All others.", 84)]


class DayFigures(msgspec.Struct, frozen=True, rename="camel"):
    """What happened on one day, and how many there were at its end."""

    date: Annotated[str, about("The day.", "2026-01-31")]
    accounts: Annotated[int, about("Accounts that are not deleted.", 120)]
    registered: Annotated[int, about("Users who registered.", 6)]
    deleted: Annotated[int, about("Users who were deleted.", 1)]
    free: Annotated[int, about("Accounts with a free package.", 71)]
    trial: Annotated[int, about("Accounts on trial.", 9)]
    paid: Annotated[int, about("Accounts that pay.", 40)]
    published_sites: Annotated[int, about("Published sites.", 88)]
    visits: Annotated[int, about("Visits to sites.", 340)]
    views: Annotated[int, about("Pages that visitors saw.", 910)]
    failed_deliveries: Annotated[int, about("Webhook deliveries that were given up.", 0)]
    failed_mails: Annotated[int, about("Mails that were given up.", 1)]
    failing_domains: Annotated[
        int, about("Domains that fail to be registered, renewed or released, and addresses of sites that fail.", 3)
    ]
    failing_addresses: Annotated[int, about("The addresses of sites among them.", 2)]
    certificates_expired: Annotated[int, about("Certificates that are expired.", 0)]
    certificates_within_7_days: Annotated[int, about("Those that expire within 7 days.", 1)]
    certificates_within_30_days: Annotated[int, about("Those that expire within 30 days, but not within 7.", 3)]
    certificates_later: Annotated[int, about("All others.", 84)]


class BrandStatistics(msgspec.Struct, frozen=True, rename=_name_in_json, kw_only=True):
    """A brand's figures for a period, each with that of the period before."""

    first: Annotated[str, about("The first day.", "2026-01-01")]
    last: Annotated[str, about("The last day.", "2026-01-31")]
    previous_from: Annotated[str, about("The first day of the period before, which has as many days.", "2025-12-01")]
    previous_to: Annotated[str, about("Its last day.", "2025-12-31")]
    time_zone: Annotated[str, about("The brand's time zone, in which days begin.", "Europe/Berlin")]
    accounts: Annotated[Compared, about("Accounts that are not deleted.", {"current": 120, "previous": 96})]
    registered: Annotated[Compared, about("Users who registered.", {"current": 31, "previous": 22})]
    deleted: Annotated[Compared, about("Users who were deleted.", {"current": 7, "previous": 4})]
    began_trial: Annotated[
        Compared,
        about("Those who registered in the period and have begun a trial since.", {"current": 20, "previous": 14}),
    ]
    became_paying: Annotated[
        Compared,
        about(
            "Those who registered in the period and have paid for a subscription since.", {"current": 8, "previous": 6}
        ),
    ]
    published_sites: Annotated[
        Compared,
        about("Sites that are published, live and enabled.", {"current": 88, "previous": 80}),
    ]
    visits: Annotated[
        Compared, about("Visits to sites whose package has `siteAnalytics`.", {"current": 9100, "previous": 8400})
    ]
    views: Annotated[Compared, about("Pages that these visitors saw.", {"current": 22100, "previous": 20800})]
    failed_deliveries: Annotated[
        Compared, about("Webhook deliveries that were given up and not retried.", {"current": 0, "previous": 3})
    ]
    failed_mails: Annotated[Compared, about("Mails that were given up and not retried.", {"current": 1, "previous": 0})]
    failing_domain_count: Annotated[
        Compared,
        about(
            "Registered domains that the registrar refused, and addresses of sites whose health check fails.",
            {"current": 3, "previous": 2},
        ),
    ]
    failing_address_count: Annotated[
        Compared, about("The addresses of sites among them.", {"current": 2, "previous": 1})
    ]
    packages: Annotated[
        list[PackageAccounts],
        about(
            "Accounts by package at the end of the period.",
            [{"packageRef": 3, "name": "Pro", "free": 0, "trial": 4, "paid": 21, "previous": 19}],
        ),
    ]
    currencies: Annotated[
        list[CurrencyFigures],
        about("Revenue and charges by currency.", [{"currency": "EUR", "charges": {"current": 71, "previous": 60}}]),
    ]
    conversion: Annotated[
        list[Cohort],
        about(
            "By week of registration, for every week with a day of the period.",
            [{"week": "2026-01-26", "registered": 40, "trial": 25, "paid": 9}],
        ),
    ]
    failing_domains: Annotated[
        list[FailingDomains],
        about(
            f"What fails now, each kind {UP_TO}: the 100 most frequent reasons.",
            [{"kind": "health", "reason": "certificate", "domains": 2}],
        ),
    ]
    certificates: Annotated[
        CertificatesLeft,
        about(
            "Certificates by days left at the end of the period, counted every hour; today: now.",
            {"expired": 0, "within7Days": 1, "within30Days": 3, "later": 84},
        ),
    ]
    previous_certificates: Annotated[
        CertificatesLeft,
        about(
            "The same at the end of the period before.",
            {"expired": 1, "within7Days": 0, "within30Days": 2, "later": 80},
        ),
    ]
    days: Annotated[
        list[DayFigures],
        about("Every day of the period, the oldest first.", [{"date": "2026-01-31", "accounts": 120}]),
    ]
    previous_days: Annotated[
        list[DayFigures],
        about("The same for the period before.", [{"date": "2025-12-31", "accounts": 96}]),
    ]


class BrandStatisticsResponse(msgspec.Struct, frozen=True):
    """The figures of a brand."""

    statistics: Annotated[
        BrandStatistics, about("Figures of the period, compared with the one before.", {"from": "2026-01-01"})
    ]
