"""The sweep: due changes are applied once, in due order, however late, by any number of workers."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.hooks import LiveSiteLimit, live_sites_limited
from sitewright.accounts.account_packages.sweep import batches
from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.accounts.account_packages.sweep.decisions import write
from sitewright.accounts.account_packages.sweep.failures import isolation
from sitewright.accounts.account_packages.sweep.forecast import next_charges
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.hooks import also_observed_by
from tests.support.ledger import Ledger
from tests.support.packages import DOMAIN, FREE, PRO, STARTER, SUSPENDED, TRIAL, assign
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

DAY = 24 * 3600


def at(moment: datetime) -> None:
    clock.shift((moment - clock.real_now()).total_seconds())


async def test_a_trial_ends_when_its_time_is_up_and_not_before(
    other_brand: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user(OTHER_BRAND)
    await assign(other_brand, user_ref, TRIAL)
    [began] = await ledger.event_times(user_ref)
    at(began + timedelta(days=14, seconds=-2))
    await sweep.do_due_changes(resources)
    assert await ledger.current(user_ref) == TRIAL
    at(began + timedelta(days=14, seconds=1))
    for _ in range(2):
        await sweep.do_due_changes(resources)
    assert await ledger.current(user_ref) == SUSPENDED
    assert await ledger.events(user_ref) == ["trialRegistration 6>7", "cancellation (trialEnded) 7>6"]
    assert await ledger.event_times(user_ref) == [began, began + timedelta(days=14)]
    assert await ledger.mails(user_ref) == ["trialEnding", "trialEnded"]
    assert await ledger.charges(user_ref) == []


async def test_a_reminder_comes_once_three_days_before(
    other_brand: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user(OTHER_BRAND)
    await assign(other_brand, user_ref, TRIAL)
    for days in (10.9, 11.1, 11.2, 13):
        clock.shift(days * DAY)
        await sweep.do_due_changes(resources)
    assert await ledger.mails(user_ref) == ["trialEnding"]
    facts = await ledger.facts_of_last_mail(user_ref)
    assert facts["package"] == "Pro, 14 days free"


async def test_no_reminder_for_a_trial_that_became_a_subscription(
    other_brand: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user(OTHER_BRAND)
    await assign(other_brand, user_ref, TRIAL)
    await assign(other_brand, user_ref, 8)
    clock.shift(15 * DAY)
    await sweep.do_due_changes(resources)
    assert await ledger.mails(user_ref) == ["subscribed"]


async def start_on(
    owner_connection: OwnerConnection, user_ref: int, package_ref: int, started: datetime, due: datetime, **more: Any
) -> None:
    """Backdates the user's current package."""
    columns = {"price": 5, "currency_ref": 1} | more
    sets = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, start=5))
    await owner_connection.execute(
        f"update account_packages set package_ref = $2, started_at = $3, due_at = $4, {sets} where user_ref = $1",
        user_ref,
        package_ref,
        started,
        due,
        *columns.values(),
    )


JANUARY_31 = datetime(2026, 1, 31, 12, tzinfo=UTC)


async def test_each_period_missed_is_renewed_and_dated_when_it_was_due(
    resources: Resources, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    february_28 = datetime(2026, 2, 28, 12, tzinfo=UTC)
    await start_on(owner_connection, user_ref, STARTER, JANUARY_31, february_28)
    at(datetime(2026, 5, 2, tzinfo=UTC))
    await sweep.do_due_changes(resources)
    assert await ledger.events(user_ref) == ["renewal 2>2"] * 3
    assert [f"{when:%m-%d %H:%M}" for when in await ledger.event_times(user_ref)] == [
        "02-28 12:00", "03-31 12:00", "04-30 12:00",
    ]  # fmt: skip
    assert await ledger.charges(user_ref) == ["5.99 USD for 1"] * 3
    row = await owner_connection.fetchrow(
        "select periods, due_at, price from account_packages where user_ref = $1", user_ref
    )
    assert row is not None
    assert (row["periods"], f"{row['due_at']:%m-%d}", str(row["price"])) == (4, "05-31", "5.99")
    assert await ledger.mails(user_ref) == ["renewed"] * 3


async def test_a_package_that_does_not_renew_is_replaced_by_the_default(
    owner: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=1, deleteOnExpiry=1)
    clock.shift(32 * DAY)
    await sweep.do_due_changes(resources)
    assert await ledger.events(user_ref) == ["subscription 1>3", "cancellation (expired) 3>1"]
    assert await ledger.charges(user_ref) == ["14.99 USD for 1"]
    assert await ledger.mails(user_ref) == ["subscribed", "cancelled"]


async def test_a_deleted_user_is_not_charged_again(
    owner: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, PRO, billingFrequency=1)
    await owner.delete(f"/users/{user_ref}")
    clock.shift(100 * DAY)
    await sweep.do_due_changes(resources)
    assert await ledger.events(user_ref) == ["subscription 1>3", "cancellation (userDeleted) 3>1"]
    assert len(await ledger.charges(user_ref)) == 1
    assert await ledger.mails(user_ref) == ["subscribed"]


async def test_an_add_on_renews_in_addition_to_the_subscription(
    owner: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, DOMAIN)
    clock.shift(370 * DAY)
    await sweep.do_due_changes(resources)
    assert await ledger.events(user_ref) == ["subscription ->4", "renewal 4>4"]
    assert await ledger.current(user_ref) == FREE


async def test_a_price_taken_off_the_list_is_charged_as_before(
    owner: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, STARTER, billingFrequency=12)
    await owner_connection.execute("delete from package_prices where package_ref = 2 and billing_period_months = 1")
    await owner_connection.execute("update package_prices set billing_period_months = 24 where package_ref = 2")
    clock.shift(366 * DAY)
    await sweep.do_due_changes(resources)
    assert await ledger.charges(user_ref) == ["49.00 USD for 12"] * 2


async def test_a_package_that_became_the_default_is_no_longer_charged(
    owner: httpx.AsyncClient, resources: Resources, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, STARTER, billingFrequency=1)
    await owner_connection.execute(
        "update brands set default_package_ref = $2 where brand_ref = $1", OWN_BRAND, STARTER
    )
    async with resources.database.transaction(OWN_BRAND) as tx:
        [forecast] = await next_charges(tx, user_ref)
    assert (forecast.renews, forecast.amount) == (True, None)
    clock.shift(32 * DAY)
    await sweep.do_due_changes(resources)
    assert await ledger.events(user_ref) == ["subscription 1>2", "renewal 2>2"]
    assert await ledger.charges(user_ref) == ["5.99 USD for 1"]


@pytest.fixture
async def many_due(user: MakeUser, owner_connection: OwnerConnection) -> list[int]:
    """Trials and monthly subscriptions, due in another order than they were made, over three days."""
    refs = []
    for number in range(30):
        user_ref = await user(OTHER_BRAND)
        due = JANUARY_31 + timedelta(minutes=(number * 617) % 4320)
        trial = {"is_trial": True, "delete_on_expiry": True, "price": 0, "currency_ref": None}
        more = trial if number % 3 else {"currency_ref": 2}
        await start_on(owner_connection, user_ref, TRIAL if number % 3 else 8, due - timedelta(days=31), due, **more)
        refs.append(user_ref)
    return refs


async def all_events(owner_connection: OwnerConnection) -> list[Any]:
    return await owner_connection.fetch("select user_ref, kind, at from lifecycle_events order by ref")


@pytest.mark.parametrize("batch", [1, 7, 1000])
async def test_after_an_outage_changes_are_applied_in_due_order(
    resources: Resources,
    many_due: list[int],
    owner_connection: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
    batch: int,
) -> None:
    monkeypatch.setattr(batches, "BATCH", batch)
    at(JANUARY_31 + timedelta(days=3, hours=1))
    await sweep.do_due_changes(resources)
    events = await all_events(owner_connection)
    assert sorted(event["user_ref"] for event in events) == many_due
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


@pytest.mark.parametrize("batch", [3, 1000])
async def test_due_order_holds_when_many_periods_were_missed(
    resources: Resources,
    many_due: list[int],
    owner_connection: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
    batch: int,
) -> None:
    monkeypatch.setattr(batches, "BATCH", batch)
    at(JANUARY_31 + timedelta(days=100))
    await sweep.do_due_changes(resources)
    events = await all_events(owner_connection)
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    assert len(set(map(tuple, events))) == len(events)
    of_each = Counter(event["user_ref"] for event in events if event["kind"] == "renewal")
    assert (len(of_each), set(of_each.values())) == (10, {4})


@pytest.mark.parametrize("step_hours", [-2, 2])
async def test_the_clock_is_set_back_or_ahead(
    resources: Resources, many_due: list[int], owner_connection: OwnerConnection, step_hours: int
) -> None:
    """After half of three days the clock is set two hours back, or ahead."""
    halfway = JANUARY_31 + timedelta(hours=36)
    for moment in (halfway, halfway + timedelta(hours=step_hours), halfway + timedelta(hours=2 * step_hours)):
        at(moment)
        await sweep.do_due_changes(resources)
    seen = [event["at"] for event in await all_events(owner_connection)]
    assert max(seen) <= max(halfway, halfway + timedelta(hours=2 * step_hours))
    at(JANUARY_31 + timedelta(days=3, hours=1))
    await sweep.do_due_changes(resources)
    events = await all_events(owner_connection)
    assert sorted(event["user_ref"] for event in events) == many_due
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


async def test_concurrent_workers_apply_each_change_once(
    resources: Resources, many_due: list[int], owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 4)
    at(JANUARY_31 + timedelta(days=4))
    await asyncio.gather(*(sweep.do_due_changes(resources) for _ in range(8)))
    await sweep.do_due_changes(resources)
    events = await all_events(owner_connection)
    assert sorted(event["user_ref"] for event in events) == many_due


async def test_due_order_holds_while_the_batch_of_a_killed_worker_is_open(
    resources: Resources, many_due: list[int], owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL goes on with what it received from a worker that was killed, whose lock of the brand is gone."""
    monkeypatch.setattr(batches, "BATCH", 4)
    at(JANUARY_31 + timedelta(days=4))
    batch = await batches._open(resources, batches.Turn(OTHER_BRAND, clock.now(), 100), None)
    assert batch is not None
    await sweep.do_due_changes(resources)
    assert await all_events(owner_connection) == []
    await batch.write()
    await sweep.do_due_changes(resources)
    events = await all_events(owner_connection)
    assert sorted(event["user_ref"] for event in events) == many_due
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


async def test_a_request_concurrent_with_the_sweep(
    other_brand: httpx.AsyncClient, resources: Resources, ledger: Ledger, many_due: list[int]
) -> None:
    """In either order: no event is lost or duplicated, and no user has two subscriptions."""
    at(JANUARY_31 + timedelta(days=4))
    working = asyncio.create_task(sweep.do_due_changes(resources))
    responses = await asyncio.gather(*(assign(other_brand, user_ref, 9, billingFrequency=1) for user_ref in many_due))
    await working
    assert {response.status_code for response in responses} == {200}
    for user_ref in many_due:
        events = await ledger.events(user_ref)
        steps = [event.split(" ")[-1].split(">") for event in events]
        assert all(step[1] == after[0] for step, after in pairwise(steps))
        assert await ledger.current(user_ref) == 9


async def test_sites_go_offline_with_the_trial(
    resources: Resources, many_due: list[int], owner_connection: OwnerConnection
) -> None:
    taken: list[LiveSiteLimit] = []

    async def take(_tx: Transaction, changes: Any) -> None:
        taken.extend(changes)

    with also_observed_by(live_sites_limited, take):
        at(JANUARY_31 + timedelta(days=4))
        await sweep.do_due_changes(resources)
    assert sorted(each.user_ref for each in taken) == [ref for number, ref in enumerate(many_due) if number % 3]
    assert {each.live_sites for each in taken} == {0}


async def test_due_changes_are_applied_before_a_request(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, ledger: Ledger, user: MakeUser
) -> None:
    """With or without the worker: every period is charged, every trial ends, and then the request is applied."""
    paying, trying, ending = await user(), await user(OTHER_BRAND), await user()
    await assign(owner, paying, STARTER)
    await assign(other_brand, trying, TRIAL)
    await assign(owner, ending, STARTER, billingFrequency=1, deleteOnExpiry=1)
    clock.shift(100 * DAY)
    await assign(owner, paying, PRO, billingFrequency=1)
    await assign(other_brand, trying, 9)
    await assign(owner, ending, PRO, billingFrequency=1)
    assert await ledger.events(paying) == ["subscription 1>2", *["renewal 2>2"] * 3, "upgrade 2>3"]
    assert await ledger.charges(paying) == [*["5.99 USD for 1"] * 4, "14.99 USD for 1"]
    assert (await ledger.events(trying))[1:] == ["cancellation (trialEnded) 7>6", "subscription 6>9"]
    assert (await ledger.events(ending))[1:] == ["cancellation (expired) 2>1", "subscription 1>3"]


async def test_an_overdue_package_cannot_be_set_to_renew(
    owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user()
    await assign(owner, user_ref, STARTER, billingFrequency=1, deleteOnExpiry=1)
    ref = (await owner.get(f"/users/{user_ref}/account-packages")).json()["accountPackages"][-1]["ref"]
    clock.shift(40 * DAY)
    response = await owner.put(f"/users/{user_ref}/account-packages/{ref}", json={"deleteOnExpiry": 0})
    assert problem_in(response) == (409, "doesNotRenew")


async def test_an_anonymized_user_gets_no_package(owner: httpx.AsyncClient, ledger: Ledger, user: MakeUser) -> None:
    user_ref = await user()
    await owner.post(f"/users/{user_ref}/anonymise")
    response = await assign(owner, user_ref, PRO)
    assert problem_in(response) == (409, "anonymised")


async def test_an_error_in_one_brand_does_not_stop_the_others(
    resources: Resources, ledger: Ledger, user: MakeUser, many_due: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    await start_on(ledger.owner, await user(), STARTER, JANUARY_31 - timedelta(days=31), JANUARY_31)

    async def fail_for_brand_1(tx: Any, brand_ref: int, decided: Any) -> None:
        if brand_ref == 1:
            raise RuntimeError("trouble")
        await write(tx, brand_ref, decided)

    for module in (batches, isolation):
        monkeypatch.setattr(module, "write", fail_for_brand_1)
    at(JANUARY_31 + timedelta(days=4))
    await sweep.do_due_changes(resources)
    assert sorted(event["user_ref"] for event in await all_events(ledger.owner)) == many_due


async def test_brands_take_turns(
    resources: Resources, ledger: Ledger, user: MakeUser, many_due: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A brand with few due packages does not wait until the backlog of another is done."""
    few = [await user() for _ in range(2)]
    for ref in few:
        await start_on(ledger.owner, ref, STARTER, JANUARY_31 - timedelta(days=31), JANUARY_31)
    monkeypatch.setattr(sweep, "ROUND", 4)
    at(JANUARY_31 + timedelta(days=4))
    await sweep.do_due_changes(resources)
    order = [event["user_ref"] for event in await all_events(ledger.owner)]
    assert sorted(order) == sorted([*many_due, *few])
    assert set(few) <= set(order[:4]), "two of each brand in the first round"
