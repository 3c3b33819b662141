"""A user whose packages are locked or fail does not stop the billing of others; nothing is lost or duplicated."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from sitewright.accounts.account_packages.hooks import LiveSiteLimit, live_sites_limited
from sitewright.accounts.account_packages.sweep import batches, reminders
from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.accounts.account_packages.sweep.failures import isolation, retries
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser
from tests.support.cast import OTHER_BRAND
from tests.support.hooks import also_observed_by
from tests.support.ledger import Ledger
from tests.support.packages import TRIAL, assign
from tests.support.sites import make_site
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection, insert

DUE = datetime(2026, 1, 31, 12, tzinfo=UTC)
MONTHLY = 8


@pytest.fixture
async def due(user: MakeUser, owner_connection: OwnerConnection) -> list[int]:
    """Trials and monthly subscriptions of one brand, each due a minute after the one before; it is an hour later."""
    refs = []
    for number in range(20):
        ref = await user(OTHER_BRAND)
        is_trial = number % 2 == 0
        await owner_connection.execute(
            "update account_packages set package_ref = $2, is_trial = $3, delete_on_expiry = $3, started_at = $4,"
            " due_at = $5, price = case when $3 then 0 else 5 end, currency_ref = case when $3 then null else 2 end"
            " where user_ref = $1",
            ref,
            TRIAL if is_trial else MONTHLY,
            is_trial,
            DUE - timedelta(days=31),
            DUE + timedelta(minutes=number),
        )
        refs.append(ref)
    at(DUE + timedelta(hours=1))
    return refs


async def run_worker_once(resources: Resources) -> None:
    """Retry failed users and sweep the others, as a worker does."""
    await retries.LOOP.run_once(resources)
    await sweep.do_due_changes(resources)


async def users_with_events(owner: OwnerConnection) -> list[int]:
    """The user of each event."""
    return [row["user_ref"] for row in await owner.fetch("select user_ref from lifecycle_events order by user_ref")]


async def failures(owner: OwnerConnection) -> dict[int, Any]:
    return {row["user_ref"]: row for row in await owner.fetch("select * from package_sweep_failures")}


async def charge_in_advance(owner: OwnerConnection, user_ref: int) -> None:
    """The coming period is charged already, as after a restore that went wrong: its renewal fails in the database."""
    row = await owner.fetchrow("select ref, due_at from account_packages where user_ref = $1", user_ref)
    assert row is not None
    charge = {
        "brand_ref": OTHER_BRAND, "user_ref": user_ref, "event_ref": -user_ref, "account_package_ref": row["ref"],
        "package_ref": MONTHLY, "currency_ref": 2, "amount": 5, "billing_period_months": 1,
        "period_starts_at": row["due_at"], "period_ends_at": row["due_at"], "at": row["due_at"],
    }  # fmt: skip
    await insert(owner, "charges", charge)


async def make_renewal_overflow(owner: OwnerConnection, user_ref: int) -> None:
    """Its renewal fails before anything is written."""
    await owner.execute("update account_packages set periods = 200000 where user_ref = $1", user_ref)


@asynccontextmanager
async def row_lock(database_url: str, statement: str, ref: int) -> AsyncIterator[None]:
    """Lock a row during this context, by a transaction of another connection."""
    holder = await asyncpg.connect(database_url)
    async with holder.transaction():
        await holder.execute(statement, ref)
        yield
    await holder.close()


@contextmanager
def during_batch_of(user_ref: int, happen: Callable[[Transaction], Awaitable[Any]]) -> Iterator[None]:
    """Call `happen` in the transaction of the batch that ends the user's trial."""

    async def take(tx: Transaction, changes: Sequence[LiveSiteLimit]) -> None:
        if any(each.user_ref == user_ref for each in changes):
            await happen(tx)

    with also_observed_by(live_sites_limited, take):
        yield


def raise_sql_error(sqlstate: str, message: str = "x") -> Callable[[Transaction], Awaitable[Any]]:
    return lambda tx: tx.execute(f"do $$ begin raise exception '{message}' using errcode = '{sqlstate}'; end $$")


def at(moment: datetime) -> None:
    clock.shift((moment - clock.real_now()).total_seconds())


@pytest.mark.parametrize("batch", [3, 1000])
async def test_a_locked_user_is_skipped_until_a_later_sweep(
    resources: Resources,
    owner_connection: OwnerConnection,
    database_url: str,
    due: list[int],
    monkeypatch: pytest.MonkeyPatch,
    batch: int,
) -> None:
    monkeypatch.setattr(batches, "BATCH", batch)
    async with row_lock(database_url, "select from users where ref = $1 for update", due[4]):
        async with asyncio.timeout(HANG_SECONDS):
            await run_worker_once(resources)
        assert await users_with_events(owner_connection) == [ref for ref in due if ref != due[4]]
        assert await failures(owner_connection) == {}
    await run_worker_once(resources)
    assert await users_with_events(owner_connection) == due


@pytest.mark.parametrize("batch", [1, 7, 1000])
async def test_failing_users_are_dead_lettered_and_all_others_are_done(
    resources: Resources,
    owner_connection: OwnerConnection,
    due: list[int],
    monkeypatch: pytest.MonkeyPatch,
    batch: int,
) -> None:
    monkeypatch.setattr(batches, "BATCH", batch)
    failing = {due[1], due[3], due[19]}
    await charge_in_advance(owner_connection, due[1])
    await make_renewal_overflow(owner_connection, due[3])
    await charge_in_advance(owner_connection, due[19])
    for _ in range(2):
        await run_worker_once(resources)
    assert await users_with_events(owner_connection) == [ref for ref in due if ref not in failing]
    kept = await failures(owner_connection)
    assert set(kept) == failing
    assert {(row["attempts"], row["retry_at"]) for row in kept.values()} == {(1, None)}
    refs = {row["user_ref"]: row["ref"] for row in await owner_connection.fetch("select * from account_packages")}
    assert {ref: row["account_package_ref"] for ref, row in kept.items()} == {ref: refs[ref] for ref in failing}


async def test_due_order_holds_around_a_failing_user(
    resources: Resources, owner_connection: OwnerConnection, due: list[int]
) -> None:
    await charge_in_advance(owner_connection, due[9])
    await run_worker_once(resources)
    events = await owner_connection.fetch("select at from lifecycle_events order by ref")
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


async def test_the_reason_names_what_failed_and_no_value(
    resources: Resources, owner_connection: OwnerConnection, due: list[int]
) -> None:
    await charge_in_advance(owner_connection, due[1])
    await make_renewal_overflow(owner_connection, due[3])
    with during_batch_of(due[0], raise_sql_error("XX123", "ann@mail.example")):
        await run_worker_once(resources)
    reasons = {ref: row["reason"] for ref, row in (await failures(owner_connection)).items()}
    assert reasons[due[1]].startswith("UniqueViolationError 23505 charges_brand_ref_")
    assert reasons[due[3]].startswith("ValueError in periods.py, line ")
    assert "XX123" in reasons[due[0]]
    assert "ann" not in reasons[due[0]]


async def test_a_retry_succeeds_once_the_cause_is_fixed(
    resources: Resources, owner_connection: OwnerConnection, ledger: Ledger, due: list[int]
) -> None:
    await charge_in_advance(owner_connection, due[1])
    await run_worker_once(resources)
    retry = "update package_sweep_failures set retry_at = $1"
    await owner_connection.execute(retry, clock.now())
    await run_worker_once(resources)
    assert [(row["attempts"], row["retry_at"]) for row in (await failures(owner_connection)).values()] == [(2, None)]
    await owner_connection.execute("delete from charges where event_ref < 0")
    await owner_connection.execute(retry, clock.now())
    at(DUE + timedelta(days=60))
    await run_worker_once(resources)
    assert await failures(owner_connection) == {}
    assert await ledger.events(due[1]) == ["renewal 8>8"] * 3
    assert len(await ledger.charges(due[1])) == 3


async def test_a_locked_site_delays_only_its_owner(
    resources: Resources, owner_connection: OwnerConnection, database_url: str, due: list[int]
) -> None:
    site_ref = await make_site(owner_connection, resources, OTHER_BRAND, user_ref=due[2], live=True)
    async with (
        row_lock(database_url, "select from sites where ref = $1 for update", site_ref),
        asyncio.timeout(HANG_SECONDS),
    ):
        await run_worker_once(resources)
        assert await users_with_events(owner_connection) == [ref for ref in due if ref != due[2]]
    [row] = (await failures(owner_connection)).values()
    assert (row["user_ref"], row["retry_at"] > clock.now()) == (due[2], True)
    at(DUE + timedelta(hours=2))
    await run_worker_once(resources)
    assert await users_with_events(owner_connection) == due
    assert await failures(owner_connection) == {}
    assert await owner_connection.fetchval("select live from sites where ref = $1", site_ref) is False


@pytest.mark.parametrize("sqlstate", ["40P01", "40001", "57014"])
async def test_a_transient_error_is_retried_with_back_off(
    resources: Resources, owner_connection: OwnerConnection, due: list[int], sqlstate: str
) -> None:
    """A deadlock, a serialization failure, a timeout: retried after one minute, then after two."""
    with during_batch_of(due[0], raise_sql_error(sqlstate)):
        for minutes in (0, 2):
            at(DUE + timedelta(hours=1, minutes=minutes))
            await run_worker_once(resources)
    [row] = (await failures(owner_connection)).values()
    assert (row["user_ref"], row["attempts"]) == (due[0], 2)
    assert timedelta(seconds=100) < row["retry_at"] - clock.now() <= timedelta(seconds=132), "with jitter"
    assert await users_with_events(owner_connection) == due[1:]
    at(DUE + timedelta(hours=2))
    await run_worker_once(resources)
    assert await users_with_events(owner_connection) == due
    assert await failures(owner_connection) == {}


async def test_a_transient_error_becomes_a_dead_letter_when_its_retries_are_used_up(
    resources: Resources, owner_connection: OwnerConnection, due: list[int]
) -> None:
    with during_batch_of(due[0], raise_sql_error("40P01")):
        await run_worker_once(resources)
        await owner_connection.execute("update package_sweep_failures set attempts = $1", len(retries.MINUTES))
        at(DUE + timedelta(hours=2))
        await run_worker_once(resources)
    [row] = (await failures(owner_connection)).values()
    assert (row["attempts"], row["retry_at"]) == (len(retries.MINUTES) + 1, None)
    assert row["reason"].startswith("DeadlockDetectedError 40P01")


async def test_a_user_whose_row_is_locked_is_retried_later(
    resources: Resources, owner_connection: OwnerConnection, database_url: str, due: list[int]
) -> None:
    with during_batch_of(due[0], raise_sql_error("40P01")):
        await run_worker_once(resources)
    at(DUE + timedelta(hours=2))
    async with row_lock(database_url, "select from users where ref = $1 for update", due[0]):
        await run_worker_once(resources)
    [row] = (await failures(owner_connection)).values()
    assert (row["attempts"], row["retry_at"] > clock.now()) == (2, True)
    at(DUE + timedelta(hours=3))
    await run_worker_once(resources)
    assert await users_with_events(owner_connection) == due
    assert await failures(owner_connection) == {}


async def test_a_lost_connection_is_not_recorded_as_a_failure(
    resources: Resources, owner_connection: OwnerConnection, due: list[int]
) -> None:
    async def end(tx: Transaction) -> None:
        await owner_connection.execute("select pg_terminate_backend($1)", tx.get_server_pid())
        await tx.execute("select 1")

    with during_batch_of(due[0], end):
        await run_worker_once(resources)
    assert await failures(owner_connection) == {}
    assert await users_with_events(owner_connection) == []
    await run_worker_once(resources)
    assert await users_with_events(owner_connection) == due


async def test_failures_per_sweep_and_brand_are_limited(
    resources: Resources,
    owner_connection: OwnerConnection,
    user: MakeUser,
    due: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(isolation, "MAX_FAILURES", 4)
    for ref in due[1::2]:
        await charge_in_advance(owner_connection, ref)
    for round_number in range(1, 4):
        await run_worker_once(resources)
        assert len(await failures(owner_connection)) == min(4 * round_number, 10)
    assert await users_with_events(owner_connection) == due[::2]


async def test_a_request_that_applies_due_changes_deletes_the_failure(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, due: list[int]
) -> None:
    await charge_in_advance(owner_connection, due[1])
    await run_worker_once(resources)
    await owner_connection.execute("delete from charges where event_ref < 0")
    assert (await assign(other_brand, due[1], 9, billingFrequency=1)).status_code == 200
    assert await failures(owner_connection) == {}


async def test_a_failure_is_erased_with_its_user(
    other_brand: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, due: list[int]
) -> None:
    await charge_in_advance(owner_connection, due[1])
    await run_worker_once(resources)
    assert set(await failures(owner_connection)) == {due[1]}
    assert (await other_brand.post(f"/users/{due[1]}/anonymise")).status_code == 204
    assert await failures(owner_connection) == {}
    await run_worker_once(resources)
    assert await users_with_events(owner_connection) == due


async def test_a_failing_reminder_is_postponed_and_stops_nothing_else(
    resources: Resources,
    owner_connection: OwnerConnection,
    ledger: Ledger,
    user: MakeUser,
    due: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reminders, "BATCH", 4)
    ends = clock.now() + timedelta(days=2)
    trials = [await user(OTHER_BRAND) for _ in range(5)]
    await owner_connection.execute(
        "update account_packages set package_ref = $2, is_trial = true, due_at = $3, remind_at = $4"
        " where user_ref = any($1)", trials, TRIAL, ends, clock.now(),
    )  # fmt: skip
    await owner_connection.execute(f"alter table mails add constraint refuse check (user_ref <> {trials[2]}) not valid")
    try:
        await run_worker_once(resources)
    finally:
        await owner_connection.execute("alter table mails drop constraint refuse")
    assert [await ledger.mails(ref) for ref in trials] == [["trialEnding"]] * 2 + [[]] + [["trialEnding"]] * 2
    assert await users_with_events(owner_connection) == due
    at(DUE + timedelta(hours=2, minutes=1))
    await run_worker_once(resources)
    assert [await ledger.mails(ref) for ref in trials] == [["trialEnding"]] * 5
