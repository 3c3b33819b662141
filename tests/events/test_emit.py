"""Events are stored in order, once and unchanged."""

import asyncio
import uuid
from typing import Any

import msgspec
import pytest

from sitewright.events import service
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.users import OwnerConnection


async def emit(resources: Resources, brand_ref: int, **body: Any) -> int:
    async with resources.database.transaction(brand_ref) as tx:
        return await service.emit(tx, "site.publish", body, clock.now())


async def test_the_sequence_rises_by_one_in_each_brand(resources: Resources, clean: None) -> None:
    assert [await emit(resources, brand) for brand in (1, 1, 2, 1)] == [1, 2, 1, 3]


async def test_concurrent_events_leave_no_gap(resources: Resources, clean: None) -> None:
    given = await asyncio.gather(*(emit(resources, OWN_BRAND) for _ in range(20)))
    assert sorted(given) == list(range(1, 21))


async def test_an_event_that_is_rolled_back_leaves_no_gap(resources: Resources, clean: None) -> None:
    with pytest.raises(RuntimeError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await service.emit(tx, "site.publish", {}, clock.now())
            raise RuntimeError
    assert await emit(resources, OWN_BRAND) == 1


async def test_the_fields_of_an_event(resources: Resources, owner_connection: OwnerConnection, clean: None) -> None:
    await emit(resources, OTHER_BRAND, site={"ref": 5}, versionRef=7)
    row = await owner_connection.fetchrow("select brand_ref, sequence, id, kind, body, at from events")
    assert row is not None
    body = msgspec.json.decode(row["body"])
    assert (row["brand_ref"], row["sequence"], row["kind"]) == (OTHER_BRAND, 1, "site.publish")
    created = row["at"].strftime("%Y-%m-%dT%H:%M:%SZ")
    assert body == {
        "eventName": "site.publish", "id": str(row["id"]), "created": created, "site": {"ref": 5}, "versionRef": 7,
        "sequence": 1,
    }  # fmt: skip
    assert uuid.UUID(body["id"]).version == 4


async def test_brands_see_their_own(resources: Resources, clean: None) -> None:
    await emit(resources, OWN_BRAND)
    async with resources.database.transaction(OTHER_BRAND) as tx:
        assert await tx.fetchval("select count(*) from events") == 0


async def test_the_body_is_stored_unchanged(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await emit(resources, OWN_BRAND, site={"zebra": "ü", "ape": 1.50})
    body: str = await owner_connection.fetchval("select body::text from events")
    assert body.endswith(',"site":{"zebra":"ü","ape":1.5},"sequence":1}')


async def test_the_previous_release_can_still_emit_events(owner_connection: OwnerConnection, clean: None) -> None:
    """It writes jsonb."""
    await owner_connection.execute(
        "insert into events (brand_ref, sequence, id, kind, body, at)"
        " values (1, 1, gen_random_uuid(), 'site.publish', '{}'::jsonb || jsonb_build_object('sequence', 1), now())"
    )
    assert await owner_connection.fetchval("select body ->> 'sequence' from events") == "1"
