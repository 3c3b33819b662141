"""Figures that are counted with every change equal those of the rows, also while they are folded and rebuilt."""

import asyncio
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import httpx
from hypothesis import given

from sitewright.accounts.billing.reports.service import make_report
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.statistics import upkeep
from sitewright.statistics.figures import rounded
from tests.statistics.expected import Expected, expected_figures
from tests.statistics.history import DAY, ROUNDS, History
from tests.support.cast import OTHER_BRAND
from tests.support.customers import done
from tests.support.depth import cases
from tests.support.packages import EUR, EURO_PRO, EURO_STARTER, TRIAL, assign
from tests.support.users import OwnerConnection


async def figures_now(client: httpx.AsyncClient) -> dict[str, Any]:
    """Of all days of the history, up to today."""
    first = (clock.real_now() - timedelta(days=3)).date()
    statistics: dict[str, Any] = (await done(client.get("/statistics", params={"from": str(first)})))["statistics"]
    return statistics


def check(found: dict[str, Any], expected: Expected) -> None:
    for number, each in enumerate(found["days"]):
        day = date.fromisoformat(each["date"])
        assert {name: each[name] for name in expected.on(day)} == expected.on(day), day
        revenue = sum(Decimal(each["dailyRevenue"][number]) for each in found["currencies"])
        assert revenue == rounded(expected.revenue(day)[EUR]), day
    first, last = date.fromisoformat(found["from"]), date.fromisoformat(found["to"])
    charges = sum(each["charges"]["current"] for each in found["currencies"])
    assert charges == expected.charged(first, last)[EUR]
    packages = {(p["packageRef"], state): p[state] for p in found["packages"] for state in ("free", "trial", "paid")}
    assert {key: count for key, count in packages.items() if count} == dict(expected.packages(last))
    for cohort in found["conversion"]:
        counts = (cohort["registered"], cohort["trial"], cohort["paid"])
        assert counts == expected.cohort(date.fromisoformat(cohort["week"])), cohort["week"]
    assert found["publishedSites"]["current"] == expected.published
    assert found["accounts"]["current"] == found["days"][-1]["accounts"]


@given(rounds=ROUNDS)
@cases(5, 60)
async def test_counted_figures_equal_those_of_the_rows(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, cleaning: str, rounds: Any
) -> None:
    clock.shift(0)
    await owner_connection.execute(cleaning)
    history = History(other_brand, resources)
    await history.run(rounds)
    assert history.succeeded
    expected = await expected_figures(owner_connection, OTHER_BRAND)
    found = await figures_now(other_brand)
    check(found, expected)
    await upkeep.fold(resources.database)
    assert not await owner_connection.fetchval("select exists (select from figure_changes)")
    assert await figures_now(other_brand) == found
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0


async def test_accounts_and_revenue_are_those_of_the_billing_report(
    other_brand: httpx.AsyncClient, resources: Resources
) -> None:
    history = History(other_brand, resources)
    assigned = [("assign", user, package, None, False) for user, package in enumerate((TRIAL, EURO_STARTER, EURO_PRO))]
    upgrade = [("assign", 0, EURO_PRO, 12, False), ("delete", 1, 0, None, False)]
    await history.run([(0, assigned), (5, upgrade), (40, [("restore", 1, 0, None, False)])])
    found = await figures_now(other_brand)
    for number in (-1, -10, -43, -45):
        day = found["days"][number]
        async with resources.database.transaction(OTHER_BRAND) as tx:
            report = await make_report(tx, None, date.fromisoformat(day["date"]), lambda _done, _steps: None)
        states = {
            state: sum(getattr(line, state) for line in report.subscribers) for state in ("free", "trial", "paid")
        }
        assert {state: day[state] for state in states} == states
        revenue = sum(line.amount for line in report.revenue)
        assert sum(Decimal(each["dailyRevenue"][number]) for each in found["currencies"]) == revenue
    assert sum(Decimal(each["monthlyRevenue"]["current"]) for each in found["currencies"]) > 0


async def test_rebuilding_corrects_figures_and_keeps_those_that_rows_do_not_have(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    history = History(other_brand, resources)
    await history.run([(3, [("assign", 0, EURO_PRO, None, False), ("assign", 1, TRIAL, None, False)])])
    await history.publish(history.users[0])
    await owner_connection.execute(
        "update packages set capabilities = capabilities || '{\"siteAnalytics\": 1}' where ref = $1", EURO_PRO
    )
    await history.visit(history.sites[history.users[0]])
    right = await figures_now(other_brand)
    assert right["visits"]["current"] == 2
    assert right["publishedSites"]["current"] == 3
    await owner_connection.execute("delete from site_visits")
    await owner_connection.execute("delete from figure_changes where figure not in ('visits', 'views', 'published')")
    await owner_connection.execute(
        "insert into daily_figures (brand_ref, day, figure, value) values ($1, current_date, 'registered', 7)",
        OTHER_BRAND,
    )
    assert await figures_now(other_brand) != right
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) > 0
    assert await figures_now(other_brand) == right
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0
    await owner_connection.execute("delete from figure_changes where figure = 'published'")
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 1
    found = await figures_now(other_brand)
    assert [day["publishedSites"] for day in found["days"][-2:]] == [0, 3], "rows do not say since when"


async def test_rebuilding_while_the_brand_is_used_counts_nothing_twice(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    history = History(other_brand, resources)
    await history.register()
    await owner_connection.execute("delete from figure_changes")

    async def rebuild_and_fold() -> None:
        for _ in range(5):
            await asyncio.gather(*(upkeep.rebuild(resources.database, OTHER_BRAND) for _ in range(2)))
            await upkeep.fold(resources.database)

    users = [history.register() for _ in range(20)]
    packages = [assign(other_brand, history.users[0], package) for package in (TRIAL, EURO_STARTER, EURO_PRO) * 2]
    await asyncio.gather(rebuild_and_fold(), *users, *packages)
    check(await figures_now(other_brand), await expected_figures(owner_connection, OTHER_BRAND))
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0


async def test_another_time_zone_moves_figures_to_its_days(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    history = History(other_brand, resources)
    await history.run([(1, [("assign", 0, EURO_PRO, None, False)]), (0.3, []), (0.3, []), (0.3, [])])
    await owner_connection.execute(
        "update brands set time_zone = 'Pacific/Kiritimati' where brand_ref = $1", OTHER_BRAND
    )
    await upkeep.LOOP.work(resources)
    assert not await owner_connection.fetchval("select exists (select from figure_rebuilds)")
    check(await figures_now(other_brand), await expected_figures(owner_connection, OTHER_BRAND))


async def test_after_an_upgrade_the_worker_counts_what_was_there(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    history = History(other_brand, resources)
    await history.run([(0, [("assign", 0, EURO_PRO, None, False)])])
    await history.publish(history.users[0])
    clock.shift(10 * DAY)
    before = await figures_now(other_brand)
    await owner_connection.execute("delete from figure_changes")
    await owner_connection.execute("insert into figure_rebuilds (brand_ref, is_first) values ($1, true)", OTHER_BRAND)
    await history.register()
    await upkeep.LOOP.work(resources)
    after = await figures_now(other_brand)
    check(after, await expected_figures(owner_connection, OTHER_BRAND))
    assert [day["publishedSites"] for day in after["days"]] == [day["publishedSites"] for day in before["days"]]
