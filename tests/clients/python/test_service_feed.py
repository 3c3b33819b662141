"""The feed of the running service, followed by both clients."""

import asyncio
from pathlib import Path

import pytest

from sitewright_client import AsyncClient, Client, EventsGone, FilePosition, MemoryPosition
from sitewright_client import operations as api
from sitewright_client.models import NewUser
from tests.clients.python.conftest import ANN
from tests.support.cast import OWN_BRAND
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection


async def create_users(client: AsyncClient, owner_connection: OwnerConnection, *names: str) -> list[int]:
    """Their refs; the events about them have been numbered."""
    users: list[NewUser] = [{**ANN, "username": name} for name in names]
    created = [await client.call(api.create_user(user)) for user in users]
    await sequence_events(owner_connection)
    return [each["accountHolder"]["ref"] for each in created]


async def test_events_are_read_over_restarts_of_the_reader(
    async_client: AsyncClient, client: Client, owner_connection: OwnerConnection, tmp_path: Path
) -> None:
    refs = await create_users(async_client, owner_connection, "ann", "bob", "cleo")
    position = FilePosition(tmp_path / "position")
    found = []
    async for event in async_client.events(position, types=["user.created"], limit=2):
        found.append(event["accountHolder"]["ref"])
        if len(found) == 2:
            break  # the second event is not finished

    def rest() -> list[int]:
        events = client.events(FilePosition(tmp_path / "position"), types=["user.created"], follow=False)
        return [event["accountHolder"]["ref"] for event in events]

    assert (found, await asyncio.to_thread(rest)) == (refs[:2], refs[1:])
    assert await asyncio.to_thread(rest) == []


async def test_a_waiting_reader_gets_a_new_event(async_client: AsyncClient, owner_connection: OwnerConnection) -> None:
    events = async_client.events(MemoryPosition(), types=["user.*"], wait=60)
    waiting = asyncio.ensure_future(anext(events))
    [user_ref] = await create_users(async_client, owner_connection, "ann")
    event = await waiting
    assert (event["eventName"], event["accountHolder"]["ref"]) == ("user.created", user_ref)
    assert (await async_client.call(api.get_event(event["sequence"])))["id"] == event["id"]


async def test_deleted_events_are_an_error(async_client: AsyncClient, owner_connection: OwnerConnection) -> None:
    await create_users(async_client, owner_connection, "ann")
    age = "at = at - interval '31 days', numbered_at = null"
    await owner_connection.execute(f"update events set {age} where brand_ref = $1", OWN_BRAND)
    await owner_connection.fetchval("select prune_webhooks(now() - interval '30 days', now(), 100)")
    with pytest.raises(EventsGone) as caught:
        _ = [event async for event in async_client.events(MemoryPosition(0), follow=False)]
    oldest = caught.value.oldest_sequence
    assert oldest is not None and oldest > 1
    assert [event async for event in async_client.events(MemoryPosition(oldest - 1), follow=False)] == []
