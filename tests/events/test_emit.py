"""Events are stored in order, once and unchanged."""

import asyncio
import uuid
from typing import Any

import msgspec
import pytest

from sitewright.events import service
from sitewright.events.kinds import Event
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection


async def emit(resources: Resources, brand_ref: int, **body: Any) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await service.emit(tx, "site.publish", body, clock.now())


async def numbers(owner: OwnerConnection, brand_ref: int = OWN_BRAND) -> list[int]:
    """The sequences of the brand's events, once the sequencer has numbered them."""
    await sequence_events(owner)
    rows = await owner.fetch("select sequence from events where brand_ref = $1 order by sequence", brand_ref)
    return [row["sequence"] for row in rows]


async def test_the_sequence_rises_by_one_in_each_brand(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    for brand_ref in (1, 1, 2, 1):
        await emit(resources, brand_ref)
    assert [await numbers(owner_connection, brand_ref) for brand_ref in (1, 2)] == [[1, 2, 3], [1]]


async def test_concurrent_events_leave_no_gap(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await asyncio.gather(*(emit(resources, OWN_BRAND) for _ in range(20)))
    assert await numbers(owner_connection) == list(range(1, 21))


async def test_an_event_that_is_rolled_back_leaves_no_gap(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    with pytest.raises(RuntimeError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await service.emit(tx, "site.publish", {}, clock.now())
            raise RuntimeError
    await emit(resources, OWN_BRAND)
    assert await numbers(owner_connection) == [1]


async def test_a_transaction_that_emits_does_not_delay_another(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    """The other one would wait for ever: the first commits after it."""
    async with resources.database.transaction(OWN_BRAND) as first:
        await service.emit(first, "site.publish", {"place": 1}, clock.now())
        await emit(resources, OWN_BRAND, place=2)
        assert await numbers(owner_connection) == [1]
    assert await numbers(owner_connection) == [1, 2]
    rows = await owner_connection.fetch("select (body ->> 'place')::integer from events order by sequence")
    assert [row[0] for row in rows] == [2, 1], "in the order in which the sequencer saw the commits"


async def test_many_events_are_numbered_in_the_order_in_which_they_were_emitted(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        await service.emit_many(tx, [Event("site.publish", {"place": each}, clock.now()) for each in range(50)])
        await service.emit_many(tx, [])
    assert await numbers(owner_connection) == list(range(1, 51))
    rows = await owner_connection.fetch("select (body ->> 'place')::integer from events order by sequence")
    assert [row[0] for row in rows] == list(range(50))


async def test_the_fields_of_an_event(resources: Resources, owner_connection: OwnerConnection, clean: None) -> None:
    await emit(resources, OTHER_BRAND, site={"ref": 5}, versionRef=7)
    await sequence_events(owner_connection)
    row = await owner_connection.fetchrow("select brand_ref, sequence, id, kind, body, at from events")
    assert row is not None
    body = msgspec.json.decode(row["body"])
    assert (row["brand_ref"], row["sequence"], row["kind"]) == (OTHER_BRAND, 1, "site.publish")
    created = row["at"].strftime("%Y-%m-%dT%H:%M:%SZ")
    assert body == {
        "eventName": "site.publish", "id": str(row["id"]), "created": created, "site": {"ref": 5}, "versionRef": 7,
        "testMode": False,
        "sequence": 1,
    }  # fmt: skip
    assert uuid.UUID(body["id"]).version == 4


async def test_brands_see_their_own(resources: Resources, owner_connection: OwnerConnection, clean: None) -> None:
    await emit(resources, OWN_BRAND)
    await sequence_events(owner_connection)
    await emit(resources, OWN_BRAND)
    async with resources.database.transaction(OTHER_BRAND) as tx:
        assert await tx.fetchval("select count(*) from events") == 0
        assert await tx.fetchval("select count(*) from event_inbox") == 0


async def test_the_body_is_stored_unchanged(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, OWN_BRAND, site={"zebra": "ü", "ape": 1.50})
    await sequence_events(owner_connection)
    body: str = await owner_connection.fetchval("select body::text from events")
    assert body.endswith(',"site":{"zebra":"ü","ape":1.5},"testMode":false,"sequence":1}')


async def test_the_previous_release_can_still_emit_events(owner_connection: OwnerConnection, clean: None) -> None:
    """It writes jsonb."""
    await owner_connection.execute(
        "insert into events (brand_ref, sequence, id, kind, body, at)"
        " values (1, 1, gen_random_uuid(), 'site.publish', '{}'::jsonb || jsonb_build_object('sequence', 1), now())"
    )
    assert await owner_connection.fetchval("select body ->> 'sequence' from events") == "1"
