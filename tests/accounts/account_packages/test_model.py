"""Random package requests, concurrent with each other and with the sweep, keep the invariants."""

import asyncio
from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser
from tests.support.cast import OTHER_BRAND
from tests.support.depth import cases, share
from tests.support.packages import EURO_PRO, EURO_STARTER, SUSPENDED, TRIAL, assign
from tests.support.users import OwnerConnection

CALLERS = share(16, 64)
CALLS = st.tuples(
    st.integers(0, 2),
    st.sampled_from([SUSPENDED, TRIAL, EURO_STARTER, EURO_PRO]),
    st.sampled_from([None, 1, 3, 12]),
    st.booleans(),
)
DAYS_BETWEEN = st.sampled_from([0, 0.1, 5, 11.5, 14.5, 40, 100])
ROUNDS = st.lists(st.tuples(DAYS_BETWEEN, st.lists(CALLS, min_size=CALLERS, max_size=CALLERS)), min_size=1, max_size=4)


@pytest.fixture
async def reads(owner_connection: OwnerConnection) -> Any:
    async def read(table: str, user_ref: int) -> list[Any]:
        return await owner_connection.fetch(f"select * from {table} where user_ref = $1 order by ref", user_ref)

    return read


@given(rounds=ROUNDS)
@cases(6, 60)
async def test_invariants_of_packages_events_and_charges(
    other_brand: httpx.AsyncClient, resources: Resources, user: MakeUser, reads: Any, rounds: Any
) -> None:
    users = [await user(OTHER_BRAND) for _ in range(3)]
    accepted, days = dict.fromkeys(users, 0), 0.0
    for more_days, calls in rounds:
        days += more_days
        clock.shift(days * 24 * 3600)
        workers = [asyncio.create_task(sweep.do_due_changes(resources)) for _ in range(2)]
        for user_ref in await asyncio.gather(*(call(other_brand, users, each) for each in calls)):
            accepted[user_ref] += 1
        await asyncio.gather(*workers)
    await sweep.do_due_changes(resources)
    for user_ref in users:
        packages, events, charges = [await reads(table, user_ref) for table in TABLES]
        check_packages(packages)
        check_events(events, packages, accepted[user_ref])
        check_charges(charges, packages, events)
    clock.shift(0)


TABLES = ("account_packages", "lifecycle_events", "charges")


async def call(client: httpx.AsyncClient, users: list[int], request: tuple[int, int, int | None, bool]) -> int:
    which, package_ref, months, ends = request
    response = await assign(client, users[which], package_ref, billingFrequency=months, deleteOnExpiry=ends)
    assert response.status_code == 200, response.text
    return users[which]


def check_packages(packages: list[Any]) -> None:
    """One after the other: each ends when the next begins, and the last one is current."""
    assert [package["ended_at"] is None for package in packages] == [False] * (len(packages) - 1) + [True]
    packages = sorted(packages, key=lambda package: (package["ended_at"] is None, package["ended_at"]))
    for package, following in pairwise(packages):
        assert package["ended_at"] == following["started_at"]
    current = packages[-1]
    assert current["due_at"] is None or current["due_at"] > clock.now()
    assert (current["due_at"] is None) == (current["package_ref"] == SUSPENDED)


def check_events(events: list[Any], packages: list[Any], accepted: int) -> None:
    """A chain without a missing link: as many as calls were accepted and the clock made changes."""
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    for event, following in pairwise(events):
        assert event["package_ref"] == following["from_package_ref"]
    by_clock = [event for event in events if event["reason"] is not None]
    renewals_by_clock = sum(package["periods"] - 1 for package in packages)
    assert len(events) == accepted + len(by_clock) + renewals_by_clock
    assert len(packages) == 1 + accepted + len(by_clock)


def check_charges(charges: list[Any], packages: list[Any], events: list[Any]) -> None:
    """Every paid period once, one after the other, and nothing for what is free or tried."""
    assert len({charge["event_ref"] for charge in charges}) == len(charges)
    assert {charge["event_ref"] for charge in charges} <= {event["ref"] for event in events}
    for package in packages:
        own = [charge for charge in charges if charge["account_package_ref"] == package["ref"]]
        is_paid = package["package_ref"] in (EURO_STARTER, EURO_PRO)
        assert len(own) == (package["periods"] if is_paid else 0)
        for charge, following in pairwise(own):
            assert charge["period_ends_at"] == following["period_starts_at"]
        if own:
            assert (own[0]["period_starts_at"], own[-1]["period_ends_at"]) == (package["started_at"], package["due_at"])
