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
from tests.support.account_domains import make_account_domain
from tests.support.addresses import make_address
from tests.support.cast import OTHER_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.customers import done
from tests.support.depth import cases
from tests.support.packages import EUR, EURO_PRO, EURO_STARTER, TRIAL, assign
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, insert, make_user


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
    assert found["failingAddressCount"]["current"] == expected.failing_addresses
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


async def failures(client: httpx.AsyncClient, name: str, days: int = 4) -> list[int]:
    """The figure of the last days."""
    return [day[name] for day in (await figures_now(client))["days"][-days:]]


async def test_failures_are_counted_on_their_days_and_rebuilt(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    refs = []
    for days in (2, 2, 0):
        at = clock.now() - timedelta(days=days)
        row = {"brand_ref": OTHER_BRAND, "kind": "welcome", "created_at": at, "next_attempt_at": at, "failed_at": at}
        refs.append(await insert(owner_connection, "mails", row))
    assert await failures(other_brand, "failedMails") == [0, 2, 0, 1]
    await owner_connection.execute("update mails set failed_at = null, attempts = 1 where ref = $1", refs[2])
    assert await failures(other_brand, "failedMails") == [0, 2, 0, 0], "one that is retried has not failed any more"
    await owner_connection.execute("delete from mails where ref = $1", refs[0])
    assert await failures(other_brand, "failedMails") == [0, 2, 0, 0], "one that is deleted has failed"
    await upkeep.fold(resources.database)
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0
    await owner_connection.execute("delete from daily_figures where figure = 'failed_mails'")
    assert await failures(other_brand, "failedMails") == [0, 1, 0, 0]
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 1
    assert await failures(other_brand, "failedMails") == [0, 2, 0, 0]


async def test_deliveries_that_were_given_up_are_counted(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    now = clock.now()
    subscription = await insert(
        owner_connection,
        "webhook_subscriptions",
        {
            "brand_ref": OTHER_BRAND, "event": "site.publish", "url": "https://hook.example/", "active": True,
            "destination": "hook.example:443", "created_at": now, "updated_at": now,
        },
    )  # fmt: skip
    await owner_connection.execute(
        "with happened as (insert into events (brand_ref, sequence, id, kind, body, at)"
        " select $1, n, gen_random_uuid(), 'site.publish', '{}', $3 from generate_series(1001, 1003) n"
        " returning brand_ref, sequence)"
        " insert into webhook_deliveries (brand_ref, subscription_ref, sequence, due_at)"
        " select brand_ref, $2, sequence, $3 from happened",
        OTHER_BRAND,
        subscription,
        now,
    )
    await owner_connection.execute("update webhook_deliveries set due_at = null, dead_at = $1", now - timedelta(days=1))
    assert await failures(other_brand, "failedDeliveries") == [0, 0, 3, 0]
    await owner_connection.execute(
        "update webhook_deliveries set due_at = $1, dead_at = null where sequence = 1001", now
    )
    assert await failures(other_brand, "failedDeliveries") == [0, 0, 2, 0]
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0
    await owner_connection.execute("delete from webhook_subscriptions where ref = $1", subscription)
    assert await failures(other_brand, "failedDeliveries") == [0, 0, 2, 0], "its deliveries are deleted with it"
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0


async def test_failing_domains_are_a_level(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources, brand_ref=OTHER_BRAND)
    at = clock.now() - timedelta(days=2)
    refs = [
        await make_account_domain(
            owner_connection, OTHER_BRAND, user_ref, f"d{n}.com", failure="Refused.", failed_at=at, updated_at=at
        )
        for n in range(3)
    ]
    await make_account_domain(owner_connection, OTHER_BRAND, user_ref, "works.com")
    assert await failures(other_brand, "failingDomains") == [0, 3, 3, 3]
    await owner_connection.execute(
        "update account_domains set failure = null, updated_at = $2 where ref = $1", refs[0], clock.now()
    )
    await owner_connection.execute("update account_domains set failure = 'Refused again.' where ref = $1", refs[1])
    assert await failures(other_brand, "failingDomains") == [0, 3, 3, 2]
    assert (await figures_now(other_brand))["failingDomainCount"]["current"] == 2
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0
    await owner_connection.execute("delete from figure_changes where figure = 'failing_domains'")
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 1
    assert await failures(other_brand, "failingDomains") == [0, 0, 0, 2], "rows do not say since when all failed"


async def test_a_registration_that_has_ended_fails_no_longer(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources, brand_ref=OTHER_BRAND)
    ref = await make_account_domain(owner_connection, OTHER_BRAND, user_ref, "refused.com", failure="Refused.")
    await owner_connection.execute("update account_domains set released_at = now() where ref = $1", ref)
    figures = await figures_now(other_brand)
    assert (figures["failingDomainCount"]["current"], figures["failingDomains"]) == (0, [])
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0


async def test_failing_addresses_are_a_level_until_they_work_or_are_unmapped(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources, brand_ref=OTHER_BRAND)
    site = await make_site(owner_connection, resources, OTHER_BRAND, user_ref=user_ref)
    at = clock.now() - timedelta(days=2)
    refs = [
        await make_address(owner_connection, site, f"d{n}.com", "failing", "caa", brand_ref=OTHER_BRAND, checked_at=at)
        for n in range(3)
    ]
    await make_address(owner_connection, site, "works.com", "ok", brand_ref=OTHER_BRAND)
    await make_account_domain(owner_connection, OTHER_BRAND, user_ref, "refused.com", failure="Refused.")
    assert await failures(other_brand, "failingAddresses") == [0, 3, 3, 3]
    assert await failures(other_brand, "failingDomains") == [0, 3, 3, 4], "with the registration that failed"
    await owner_connection.execute(
        "update domain_checks set status = 'ok', state = 'healthy', failing_check = null, checked_at = $2"
        " where domain_ref = $1",
        refs[0],
        clock.now() - timedelta(days=1),
    )
    for change in ("status = 'unknown'", "failing_check = 'certificate'", "due_at = now()"):
        await owner_connection.execute(f"update domain_checks set {change} where domain_ref = $1", refs[1])
    await done(other_brand.delete(f"/sites/{site}/domains/{refs[2]}"))
    assert await failures(other_brand, "failingAddresses") == [0, 3, 2, 1]
    assert (await figures_now(other_brand))["failingAddressCount"]["current"] == 1
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0
    await owner_connection.execute("delete from figure_changes where figure = 'failing_addresses'")
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 1
    assert await failures(other_brand, "failingAddresses") == [0, 0, 0, 1], "rows do not say since when all failed"


async def test_certificates_are_counted_every_hour(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    issued, now = certificate_for("a.example"), clock.real_now()
    for host, days in (("a", -1), ("b", 3), ("c", 20), ("d", 60), ("a", 90)):
        end = now + timedelta(days=days)
        await make_certificate(
            owner_connection, resources, OTHER_BRAND, issued, f"{host}.brand2.example", not_after=end
        )
    [count] = upkeep.SCHEDULES
    await count.run(resources)
    await count.run(resources)
    live = (await figures_now(other_brand))["certificates"]
    assert live == {"expired": 0, "within7Days": 1, "within30Days": 1, "later": 2}
    clock.shift(40 * DAY)
    await owner_connection.execute("delete from certificates where domain = 'b.brand2.example'")
    found = await figures_now(other_brand)
    yesterday = {name: found["days"][-2][f"certificates{name[0].upper()}{name[1:]}"] for name in live}
    assert yesterday == live, "as it was counted"
    assert found["certificates"] == live | {"within7Days": 0}, "today it is read"
    assert found["previousCertificates"]["later"] in (0, 2)
    assert await upkeep.rebuild(resources.database, OTHER_BRAND) == 0
    assert (await figures_now(other_brand))["days"][-1] == found["days"][-1]
