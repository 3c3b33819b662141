"""Moving the clock of a test brand: everything due on the way is done once, in order, at its own time."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.periods import months_after
from sitewright.accounts.clocks import service
from sitewright.accounts.clocks.advancing import FEW, LARGE_STEP, next_step
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser
from tests.accounts.clocks.conftest import worker
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.customers import new_user
from tests.support.ledger import Ledger
from tests.support.packages import EURO_PRO, EURO_STARTER, SUSPENDED, TRIAL, assign
from tests.support.responses import problem_in
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection

CLOCK = f"/brands/{OTHER_BRAND}/test-clock"
ADVANCE = f"{CLOCK}/advance"
DAY = timedelta(days=1)
SOON = timedelta(minutes=2)


async def move(client: httpx.AsyncClient, **body: Any) -> datetime:
    response = await client.post(ADVANCE, json=body)
    assert response.status_code == 200, response.text
    return time_in(response)


def time_in(response: httpx.Response) -> datetime:
    return datetime.fromisoformat(response.json()["testClock"]["time"])


async def test_the_clock_is_that_of_the_service_until_it_is_moved(
    other_brand: httpx.AsyncClient, in_test_mode: None
) -> None:
    response = await other_brand.get(CLOCK)
    assert response.status_code == 200
    assert abs(time_in(response) - clock.now()) < SOON
    shown = response.json()["testClock"]
    assert (shown["brandRef"], shown["status"], shown["advancingTo"]) == (OTHER_BRAND, "ready", None)


async def test_another_brand_has_no_test_clock(owner: httpx.AsyncClient, system_owner: httpx.AsyncClient) -> None:
    path = f"/brands/{OWN_BRAND}/test-clock"
    assert problem_in(await owner.get(path)) == (409, "notATestBrand")
    assert problem_in(await owner.post(f"{path}/advance", json={"by": "P1D"})) == (409, "notATestBrand")
    assert problem_in(await owner.get(CLOCK)) == (403, "brandMismatch")
    assert problem_in(await owner.post(ADVANCE, json={"by": "P1D"})) == (403, "brandMismatch")
    assert problem_in(await system_owner.get("/brands/999/test-clock")) == (404, "brandNotFound")
    response = await system_owner.post("/brands/999/test-clock/advance", json={"by": "P1D"})
    assert problem_in(response) == (404, "brandNotFound")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalidTo"),
        ({"to": "2027-01-01T00:00:00Z", "by": "P1D"}, "invalidBy"),
        ({"to": "tomorrow"}, "invalidTo"),
        ({"to": "2001-01-01T00:00:00Z"}, "invalidTo"),
        ({"by": "P"}, "invalidBy"),
        ({"by": "PT"}, "invalidBy"),
        ({"by": "P1.5D"}, "invalidBy"),
        ({"by": "-P1D"}, "invalidBy"),
        ({"by": "P0D"}, "invalidBy"),
        ({"by": "P2Y1D"}, "invalidBy"),
        ({"by": "P999999999Y"}, "invalidBy"),
        ({"by": "P999999999D"}, "invalidBy"),
        ({"to": "9999-12-31T23:59:59Z"}, "invalidTo"),
    ],
)
async def test_what_is_not_a_time_ahead_is_refused(
    other_brand: httpx.AsyncClient, in_test_mode: None, body: dict[str, str], code: str
) -> None:
    assert problem_in(await other_brand.post(ADVANCE, json=body)) == (400, code)
    assert (await other_brand.get(CLOCK)).json()["testClock"]["status"] == "ready"


async def test_the_clock_moves_to_a_time_and_by_a_duration_and_runs_on(
    other_brand: httpx.AsyncClient, moving: None
) -> None:
    before = clock.now()
    target = (before + 100 * DAY).replace(microsecond=0)
    assert timedelta() <= await move(other_brand, to=target.isoformat()) - target < SOON
    reached = await move(other_brand, by="P1Y2M3DT4H5M6S")
    expected = months_after(target, 14, "UTC") + timedelta(days=3, hours=4, minutes=5, seconds=6)
    assert timedelta() <= reached - expected < SOON
    assert abs(clock.now() - before) < SOON  # the service's own clock
    again = time_in(await other_brand.get(CLOCK))
    assert timedelta() <= again - reached < SOON


async def test_a_trial_is_reminded_of_and_ends_at_its_own_time(
    other_brand: httpx.AsyncClient, moving: None, ledger: Ledger, user: MakeUser
) -> None:
    user_ref = await user(OTHER_BRAND)
    await assign(other_brand, user_ref, TRIAL)
    [began] = await ledger.event_times(user_ref)
    await move(other_brand, by="P10D")
    assert await ledger.mails(user_ref) == []
    holder = (await other_brand.get(f"/users/{user_ref}")).json()["accountHolder"]
    assert holder["nrtDaysToExpiry"] == 3  # and some hours less than 4 days
    await move(other_brand, by="P1Y")
    assert await ledger.mails(user_ref) == ["trialEnding", "trialEnded"]
    assert await ledger.event_times(user_ref) == [began, began + 14 * DAY]
    assert await ledger.current(user_ref) == SUSPENDED


async def test_every_period_is_renewed_once_and_charged_when_it_was_due(
    other_brand: httpx.AsyncClient, moving: None, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    first, second = await user(OTHER_BRAND, username="first"), await user(OTHER_BRAND, username="second")
    await assign(other_brand, first, EURO_STARTER, billingFrequency=1)
    await assign(other_brand, second, EURO_PRO, billingFrequency=1)
    began = {ref: (await ledger.event_times(ref))[0] for ref in (first, second)}
    await move(other_brand, by="P1Y")
    for ref in (first, second):
        due = [months_after(began[ref], months, "UTC") for months in range(13)]
        assert await ledger.event_times(ref) == due
    rows = await owner_connection.fetch("select at from lifecycle_events where kind = 'renewal' order by ref")
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    assert len(await ledger.charges(first)) == len(await ledger.event_times(first))


async def test_a_failing_user_does_not_stop_a_move(
    other_brand: httpx.AsyncClient, moving: None, ledger: Ledger, user: MakeUser, owner_connection: OwnerConnection
) -> None:
    failing, paying = await user(OTHER_BRAND), await user(OTHER_BRAND)
    for ref in (failing, paying):
        await assign(other_brand, ref, EURO_STARTER, billingFrequency=1)
    await owner_connection.execute("update account_packages set periods = 200000 where user_ref = $1", failing)
    await move(other_brand, by="P2M")
    assert await ledger.events(paying) == ["subscription 6>8", "renewal 8>8", "renewal 8>8"]
    [row] = await owner_connection.fetch("select user_ref, retry_at, failed_at from package_sweep_failures")
    assert (row["user_ref"], row["retry_at"]) == (failing, None), "a dead letter"
    assert row["failed_at"] < clock.now() + SOON


async def test_what_happens_after_a_move_has_the_time_of_the_brand(
    other_brand: httpx.AsyncClient, moving: None, ledger: Ledger, owner_connection: OwnerConnection
) -> None:
    reached = await move(other_brand, by="P1Y")
    body = new_user(brandRef=OTHER_BRAND)
    created = (await other_brand.post("/users", json=body)).json()["accountHolder"]
    assert timedelta() <= datetime.fromisoformat(created["created"]["date"]).replace(tzinfo=UTC) - reached < SOON
    await assign(other_brand, created["ref"], EURO_STARTER, billingFrequency=1)
    for at in await ledger.event_times(created["ref"]):
        assert timedelta() <= at - reached < SOON
    for call in ("suspend", "unsuspend"):
        assert (await other_brand.post(f"/users/{created['ref']}/{call}")).is_success
    await sequence_events(owner_connection)
    found = await owner_connection.fetch("select at from events where kind like 'user.%suspended'")
    assert [timedelta() <= row["at"] - reached < SOON for row in found] == [True, True]
    due = await owner_connection.fetchval("select min(next_attempt_at) from mails")
    assert due < clock.now() + SOON  # mails are sent by the service's clock
    login = await other_brand.post(f"/users/{created['ref']}/auto-login")
    expires = await owner_connection.fetchval("select max(expires_at) from one_time_tokens")
    assert login.status_code == 200
    assert expires < clock.now() + timedelta(hours=1) + SOON


async def test_a_call_that_takes_too_long_returns_the_time_reached_and_is_repeated(
    other_brand: httpx.AsyncClient, in_test_mode: None, monkeypatch: pytest.MonkeyPatch, resources: Resources
) -> None:
    """No worker moves the clock at first."""
    monkeypatch.setattr(service, "WAIT_SECONDS", 0.0)
    response = await other_brand.post(ADVANCE, json={"by": "P1M"})
    assert response.status_code == 202
    began = time_in(response)
    assert abs(began - clock.now()) < SOON
    target = datetime.fromisoformat(response.json()["testClock"]["advancingTo"])
    assert (await other_brand.get(CLOCK)).json()["testClock"]["status"] == "advancing"
    other = await other_brand.post(ADVANCE, json={"by": "P2M"})
    assert problem_in(other) == (409, "testClockAdvancing")
    assert target.isoformat()[:19] in other.json()["detail"]
    monkeypatch.undo()
    async with worker(resources):
        response = await other_brand.post(ADVANCE, json={"by": "P1M"})
    assert response.status_code == 200
    assert timedelta() <= time_in(response) - target < SOON


async def test_of_two_calls_at_once_one_moves_the_clock(other_brand: httpx.AsyncClient, moving: None) -> None:
    before = time_in(await other_brand.get(CLOCK))
    responses = await asyncio.gather(*(other_brand.post(ADVANCE, json={"by": "P1M"}) for _ in range(2)))
    assert sorted(response.status_code for response in responses) == [200, 409]
    [refused] = [response for response in responses if response.status_code == 409]
    assert problem_in(refused) == (409, "testClockAdvancing")
    assert timedelta() <= time_in(await other_brand.get(CLOCK)) - months_after(before, 1, "UTC") < SOON


async def test_a_retry_with_the_same_key_does_not_move_the_clock_again(
    other_brand: httpx.AsyncClient, moving: None
) -> None:
    headers = {"Idempotency-Key": "once"}
    first = await other_brand.post(ADVANCE, json={"by": "P1M"}, headers=headers)
    second = await other_brand.post(ADVANCE, json={"by": "P1M"}, headers=headers)
    assert (second.status_code, second.json()) == (200, first.json())
    assert second.headers["Idempotency-Replayed"] == "true"
    assert time_in(await other_brand.get(CLOCK)) - time_in(first) < SOON


async def test_a_move_is_audited(
    other_brand: httpx.AsyncClient, moving: None, owner_connection: OwnerConnection
) -> None:
    await move(other_brand, by="PT1H")
    row = await owner_connection.fetchrow(
        "select subject, subject_ref, brand_ref, details ->> 'to' as target from audit_entries"
        " where action = 'advance-clock'"
    )
    assert row is not None
    assert (row["subject"], row["subject_ref"], row["brand_ref"]) == ("brand", OTHER_BRAND, OTHER_BRAND)
    assert datetime.fromisoformat(row["target"]) > clock.now()


def test_few_due_times_are_steps_of_their_own_and_many_are_one() -> None:
    start = datetime(2027, 1, 1, tzinfo=UTC)
    target = start + 30 * DAY
    few = [start + timedelta(hours=hours) for hours in range(FEW)]
    many = [*few, start + timedelta(hours=FEW)]
    assert next_step([], target) == target
    assert next_step(few, target) == start
    assert next_step(many, target) == start + LARGE_STEP
    assert next_step(many, start + timedelta(hours=1)) == start + timedelta(hours=1)
    assert next_step([*few, start + 2 * DAY], target) == start
