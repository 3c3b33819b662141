"""The figures of a billing report, against rows written by hand."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from sitewright.accounts.billing.reports.errors import InvalidRange
from sitewright.accounts.billing.reports.service import (
    ChargeLine,
    Days,
    EventLine,
    RevenueLine,
    SubscriberLine,
    make_report,
)
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.billing.conftest import Books, utc
from tests.support.cast import OTHER_BRAND
from tests.support.packages import EUR, FREE, PRO, STARTER


async def test_events_are_counted_by_kind_and_package(books: Books) -> None:
    await books.event("subscription", "2026-03-02", PRO)
    await books.event("registration", "2026-03-01", FREE)
    await books.event("registration", "2026-03-02", FREE)
    await books.event("registration", "2026-03-02", None)
    made = await books.report("2026-03-01", "2026-03-31")
    assert made.events == [
        EventLine("registration", "none", 1),
        EventLine("registration", "Free (1)", 2),
        EventLine("subscription", "Pro (3)", 1),
    ]


async def test_a_cancellation_counts_for_the_package_that_was_cancelled(books: Books) -> None:
    await books.event("cancellation", "2026-03-02", FREE, from_package_ref=PRO)
    assert (await books.report("2026-03-01", "2026-03-31")).events == [EventLine("cancellation", "Pro (3)", 1)]


async def test_days_begin_and_end_in_the_brands_zone(books: Books) -> None:
    await books.zone("America/New_York")
    for at in ("2026-03-01 04:59:59", "2026-03-01 05:00", "2026-04-01 03:59:59", "2026-04-01 04:00"):
        await books.event("registration", at, FREE)
    assert (await books.report("2026-03-01", "2026-03-31")).events == [EventLine("registration", "Free (1)", 2)]
    assert (await books.report("2026-03-31", "2026-03-31")).events == [EventLine("registration", "Free (1)", 1)]
    assert (await books.report("2026-02-28", "2026-04-01")).events == [EventLine("registration", "Free (1)", 4)]


async def test_charges_are_summed_by_package_and_currency(books: Books) -> None:
    await books.charge("19.99", "2026-01-31", "2026-02-28", account_package_ref=1)
    await books.charge("19.99", "2026-02-28", "2026-03-31", account_package_ref=1)
    await books.charge("99999999999999.99", "2026-02-28", "2026-03-28", account_package_ref=2)
    await books.charge("5.00", "2026-02-01", "2026-03-01", STARTER, currency_ref=EUR, account_package_ref=3)
    made = await books.report("2026-01-01", "2026-02-28")
    assert made.charges == [
        ChargeLine("Starter (2)", "EUR", 1, Decimal("5.00")),
        ChargeLine("Pro (3)", "USD", 3, Decimal("100000000000039.97")),
    ]


async def test_subscribers_are_counted_at_the_end_as_paid_trial_and_free(books: Books) -> None:
    paying, trying, _free = [await books.user() for _ in range(3)]
    deleted = await books.user(deleted_at=utc("2026-03-31"))
    for user_ref in (paying, deleted):
        await books.holds(user_ref, PRO, "2026-03-10", None, price=Decimal(20), currency_ref=1)
    await books.holds(trying, PRO, "2026-03-10", None, is_trial=True)
    made = await books.report("2026-03-01", "2026-03-31")
    assert made.subscribers == [SubscriberLine("Free (1)", 0, 0, 1), SubscriberLine("Pro (3)", 1, 1, 0)]
    assert (await books.report("2026-03-01", "2026-03-30")).subscribers[1] == SubscriberLine("Pro (3)", 2, 1, 0)
    assert (await books.report("2026-03-01", "2026-03-09")).subscribers == [SubscriberLine("Free (1)", 0, 0, 4)]


async def test_what_begins_as_the_last_day_ends_belongs_to_the_next(books: Books) -> None:
    await books.zone("Europe/Berlin")
    user_ref = await books.user()
    await books.holds(user_ref, PRO, "2026-03-31 22:00", None, price=Decimal(20), currency_ref=1)
    assert (await books.report(None, "2026-03-31")).subscribers == [SubscriberLine("Free (1)", 0, 0, 1)]
    assert (await books.report(None, "2026-04-01")).subscribers == [SubscriberLine("Pro (3)", 1, 0, 0)]


async def test_add_ons_are_no_subscriptions(books: Books) -> None:
    user_ref = await books.user()
    await books.holds(user_ref, 4, "2026-03-10", None, price=Decimal(12), currency_ref=1, is_subscription=False)
    made = await books.report("2026-03-01", "2026-03-31")
    assert (made.subscribers, made.revenue) == ([SubscriberLine("Free (1)", 0, 0, 1)], [])


async def test_monthly_revenue_is_summed_before_it_is_rounded(books: Books) -> None:
    for months, price in ((12, "100.00"), (12, "100.00"), (12, "100.00"), (1, "9.99"), (1200, "1.00")):
        await books.holds(
            await books.user(),
            PRO,
            "2026-03-10",
            None,
            price=Decimal(price),
            currency_ref=1,
            billing_period_months=months,
        )
    await books.holds(await books.user(), PRO, "2026-03-10", None, price=Decimal("0.01"), currency_ref=EUR)
    made = await books.report("2026-03-01", "2026-03-31")
    assert made.revenue == [
        RevenueLine("Pro (3)", "USD", 5, Decimal("34.99")),
        RevenueLine("Pro (3)", "EUR", 1, Decimal("0.01")),
    ]


async def test_past_revenue_uses_the_prices_of_that_time(books: Books) -> None:
    """The price rose with the renewal of 10 April; the account package itself knows only the price of now."""
    user_ref = await books.user()
    held = await books.holds(user_ref, PRO, "2026-03-10", None, price=Decimal(30), currency_ref=1, periods=2)
    await books.charge("20.00", "2026-03-10", "2026-04-10", account_package_ref=held)
    await books.charge("30.00", "2026-04-10", "2026-05-10", account_package_ref=held)
    ends = ("2026-03-31", "2026-04-09", "2026-04-10", "2026-05-10", "2026-06-10")
    amounts = [(await books.report(None, end)).revenue[0].amount for end in ends]
    assert amounts == [Decimal(price) for price in ("20.00", "20.00", "30.00", "30.00", "30.00")]


async def test_without_days_it_is_this_month_until_now(books: Books) -> None:
    await books.zone("Pacific/Auckland")
    clock.shift((utc("2026-07-31 12:30") - clock.real_now()).total_seconds())
    await books.event("registration", "2026-07-31 12:10", FREE)
    await books.event("registration", "2026-07-31 11:50", FREE)
    made = await books.report(None, None)
    assert (made.days.first, made.days.last) == (date(2026, 8, 1), date(2026, 8, 1))
    assert made.events == [EventLine("registration", "Free (1)", 1)]
    assert made.at - utc("2026-07-31 12:30") < timedelta(minutes=1)


async def test_a_range_without_events_is_empty(books: Books) -> None:
    made = await books.report("1970-01-01", "2999-12-31")
    assert (made.events, made.charges, made.subscribers, made.revenue) == ([], [], [], [])


async def test_a_range_that_ends_before_it_begins_is_refused(books: Books) -> None:
    with pytest.raises(InvalidRange, match="2026-03-02, is after the last day, 2026-03-01"):
        await books.report("2026-03-02", "2026-03-01")
    with pytest.raises(InvalidRange, match="between 1970-01-01"):
        await books.report("0001-01-01", "2026-03-01")


async def test_another_brands_charges_are_not_included(books: Books, resources: Resources) -> None:
    await books.event("registration", "2026-03-01", FREE)
    await books.user()
    async with resources.database.transaction(OTHER_BRAND) as tx:
        made = await make_report(tx, date(2026, 3, 1), date(2026, 3, 31), lambda _done, _steps: None)
    assert (made.events, made.subscribers) == ([], [])


async def test_progress_is_reported_month_by_month(books: Books, resources: Resources) -> None:
    for at in ("2026-01-31", "2026-02-01", "2026-04-30"):
        await books.event("registration", at, FREE)
    returned: list[tuple[int, int]] = []
    async with resources.database.transaction(1) as tx:
        made = await make_report(
            tx, date(2000, 1, 1), date(2026, 12, 31), lambda done, steps: returned.append((done, steps))
        )
    assert returned == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert made.events == [EventLine("registration", "Free (1)", 3)]


def test_months_cover_every_day_once() -> None:
    days = Days(date(2026, 1, 31), date(2026, 4, 1), "America/Sao_Paulo")
    months = list(days.months())
    assert [(each.first, each.last) for each in months] == [
        (date(2026, 1, 31), date(2026, 1, 31)),
        (date(2026, 2, 1), date(2026, 2, 28)),
        (date(2026, 3, 1), date(2026, 3, 31)),
        (date(2026, 4, 1), date(2026, 4, 1)),
    ]
    assert [each.since for each in months[1:]] == [each.until for each in months[:-1]]
