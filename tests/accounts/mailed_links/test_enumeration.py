"""Forgotten passwords do not reveal accounts: not by response, written rows or response time."""

import statistics
import time

import httpx

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.mailed_links.conftest import LOGIN_LINK, Mailbox
from tests.support.users import OwnerConnection, make_user

NAMES = ("known", "unknown", "deleted")
MOST_RATIO = 1.3


async def request_reset(client: httpx.AsyncClient, username: str) -> httpx.Response:
    return await client.post("/users/forgotten-password", json={"username": username, "loginLink": LOGIN_LINK})


async def make_accounts(owner: OwnerConnection, resources: Resources) -> None:
    await make_user(owner, resources, username="known")
    await make_user(owner, resources, username="deleted", deleted_at=clock.now())


async def test_responses_and_written_rows_are_the_same_for_known_and_unknown_accounts(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_accounts(owner_connection, resources)
    seen = []
    for name in NAMES:
        response = await request_reset(owner, name)
        headers = {key: value for key, value in response.headers.items() if key not in ("x-request-id", "date")}
        written = [
            await owner_connection.fetchval(f"select count(*) from {table}")
            for table in ("jobs.queue", "mails", "one_time_tokens", "audit_entries")
        ]
        seen.append((response.status_code, response.content, headers, written))
        await owner_connection.execute("delete from jobs.queue")
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][3][:3] == [1, 0, 0]


async def test_response_times_are_the_same(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources
) -> None:
    """At least in one measurement of three, since the machine may be busy: a difference would be in each."""
    await make_accounts(owner_connection, resources)
    ratios: list[float] = []
    while not ratios or (ratios[-1] >= MOST_RATIO and len(ratios) < 3):
        medians = [statistics.median(each) for each in (await measured(owner)).values()]
        ratios.append(max(medians) / min(medians))
    assert min(ratios) < MOST_RATIO, ratios


async def measured(owner: httpx.AsyncClient) -> dict[str, list[float]]:
    """The times of forty requests for each name, in turn."""
    took: dict[str, list[float]] = {name: [] for name in NAMES}
    for _ in range(40):
        for name in NAMES:
            began = time.perf_counter()
            await request_reset(owner, name)
            took[name].append(time.perf_counter() - began)
    return took
