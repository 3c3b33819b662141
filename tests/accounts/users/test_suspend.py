"""POST /users/:userRef/suspend and /unsuspend."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import all_rows, got, ref_of_new
from tests.accounts.users.ways_in import give_out, start_session, still_work
from tests.support.answers import refused
from tests.support.users import OwnerConnection


def standing(holder: dict[str, Any]) -> tuple[int, str, bool]:
    return holder["suspended"], holder["accountStatus"], holder["editorAccess"]


async def test_there_and_back(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new(owner)
    answer = await owner.post(f"/users/{ref}/suspend", json={"reason": "Unpaid."})
    assert (answer.status_code, answer.content) == (204, b"")
    assert standing(await got(owner, ref)) == (1, "suspended", False)
    assert await owner_connection.fetchval("select suspended_reason from users") == "Unpaid."
    assert (await owner.post(f"/users/{ref}/unsuspend")).status_code == 204
    assert standing(await got(owner, ref)) == (0, "allowed", True)
    assert await owner_connection.fetchval("select suspended_reason from users") is None


@pytest.mark.parametrize("body", [None, {}, {"reason": None}, {"reason": ""}, {"reason": "x" * 255}])
async def test_a_reason_is_optional(owner: httpx.AsyncClient, body: dict[str, Any] | None) -> None:
    answer = await owner.post(f"/users/{await ref_of_new(owner)}/suspend", json=body)
    assert answer.status_code == 204


@pytest.mark.parametrize("reason", ["x" * 256, 7, ["x"], "a\0b"])
async def test_a_reason_that_is_none(owner: httpx.AsyncClient, owner_connection: OwnerConnection, reason: Any) -> None:
    ref = await ref_of_new(owner)
    before = await all_rows(owner_connection)
    assert refused(await owner.post(f"/users/{ref}/suspend", json={"reason": reason})) == (400, "invalidReason")
    assert await all_rows(owner_connection) == before


async def test_twice_is_once(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new(owner)
    seen = []
    for body in ({"reason": "first"}, {}, {"reason": "second"}):
        await owner.post(f"/users/{ref}/suspend", json=body)
        seen.append(await owner_connection.fetchrow("select suspended_at, suspended_reason from users"))
    assert len({row["suspended_at"] for row in seen if row}) == 1
    assert [row["suspended_reason"] for row in seen if row] == ["first", "first", "second"]
    for _ in range(2):
        assert (await owner.post(f"/users/{ref}/unsuspend")).status_code == 204


async def test_whoever_is_logged_in_is_out(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new(owner)
    given = await give_out(resources, ref)
    await start_session(owner_connection, ref)
    await owner.post(f"/users/{ref}/suspend")
    assert await still_work(resources, given) == ["verification"]
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_a_suspended_user_is_listed_and_can_be_edited(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new(owner)
    await owner.post(f"/users/{ref}/suspend")
    [listed] = (await owner.get("/users")).json()["accountHolders"]
    assert (listed["suspended"], listed["accountStatus"]) == (1, "suspended")
    answer = await owner.put(f"/users/{ref}", json={"city": "Oslo"})
    assert answer.json()["accountHolder"]["suspended"] == 1


@pytest.mark.parametrize("call", ["suspend", "unsuspend"])
async def test_others_users_do_not_exist(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, reseller: httpx.AsyncClient, call: str
) -> None:
    ref = await ref_of_new(owner)
    for client, path in ((other_brand, ref), (reseller, ref), (owner, 999), (owner, "abc")):
        answer = await client.post(f"/users/{path}/{call}", json={"reason": 7})
        assert refused(answer) == (404, "userNotFound")


async def test_the_audit_tells(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new(owner)
    for call in ("suspend", "unsuspend"):
        await owner.post(f"/users/{ref}/{call}", headers={"X-Request-Id": call})
    rows = await owner_connection.fetch(
        "select action, subject_ref, request_id from audit_entries where subject = 'user' order by ref desc limit 2"
    )
    assert [tuple(row) for row in rows] == [("unsuspend", ref, "unsuspend"), ("suspend", ref, "suspend")]
