"""POST /users/:userRef/suspend and /unsuspend."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.users.access import issue_tokens, start_session, valid_tokens
from tests.accounts.users.shapes import all_rows, get_user, ref_of_new_user
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


def standing(holder: dict[str, Any]) -> tuple[int, str, bool]:
    return holder["suspended"], holder["accountStatus"], holder["editorAccess"]


async def test_suspend_and_unsuspend(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(owner)
    response = await owner.post(f"/users/{ref}/suspend", json={"reason": "Unpaid."})
    assert (response.status_code, response.content) == (204, b"")
    assert standing(await get_user(owner, ref)) == (1, "suspended", False)
    assert await owner_connection.fetchval("select suspended_reason from users") == "Unpaid."
    assert (await owner.post(f"/users/{ref}/unsuspend")).status_code == 204
    assert standing(await get_user(owner, ref)) == (0, "allowed", True)
    assert await owner_connection.fetchval("select suspended_reason from users") is None


@pytest.mark.parametrize("body", [None, {}, {"reason": None}, {"reason": ""}, {"reason": "x" * 255}])
async def test_a_reason_is_optional(owner: httpx.AsyncClient, body: dict[str, Any] | None) -> None:
    response = await owner.post(f"/users/{await ref_of_new_user(owner)}/suspend", json=body)
    assert response.status_code == 204


@pytest.mark.parametrize("reason", ["x" * 256, 7, ["x"], "a\0b"])
async def test_an_invalid_reason_is_rejected(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, reason: Any
) -> None:
    ref = await ref_of_new_user(owner)
    before = await all_rows(owner_connection)
    assert problem_in(await owner.post(f"/users/{ref}/suspend", json={"reason": reason})) == (400, "invalidReason")
    assert await all_rows(owner_connection) == before


async def test_suspending_is_idempotent(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(owner)
    seen = []
    for body in ({"reason": "first"}, {}, {"reason": "second"}):
        await owner.post(f"/users/{ref}/suspend", json=body)
        seen.append(await owner_connection.fetchrow("select suspended_at, suspended_reason from users"))
    assert len({row["suspended_at"] for row in seen if row}) == 1
    assert [row["suspended_reason"] for row in seen if row] == ["first", "first", "second"]
    for _ in range(2):
        assert (await owner.post(f"/users/{ref}/unsuspend")).status_code == 204


async def test_sessions_end_and_tokens_are_revoked(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner)
    given = await issue_tokens(resources, ref)
    await start_session(owner_connection, ref)
    await owner.post(f"/users/{ref}/suspend")
    assert await valid_tokens(resources, given) == ["verification"]
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


async def test_a_suspended_user_is_listed_and_can_be_edited(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    await owner.post(f"/users/{ref}/suspend")
    [listed] = (await owner.get("/users")).json()["accountHolders"]
    assert (listed["suspended"], listed["accountStatus"]) == (1, "suspended")
    response = await owner.put(f"/users/{ref}", json={"city": "Oslo"})
    assert response.json()["accountHolder"]["suspended"] == 1


@pytest.mark.parametrize("call", ["suspend", "unsuspend"])
async def test_users_of_others_are_not_found(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, reseller: httpx.AsyncClient, call: str
) -> None:
    ref = await ref_of_new_user(owner)
    for client, path in ((other_brand, ref), (reseller, ref), (owner, 999), (owner, "abc")):
        response = await client.post(f"/users/{path}/{call}", json={"reason": 7})
        assert problem_in(response) == (404, "userNotFound")


async def test_changes_are_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(owner)
    for call in ("suspend", "unsuspend"):
        await owner.post(f"/users/{ref}/{call}", headers={"X-Request-Id": call})
    rows = await owner_connection.fetch(
        "select action, subject_ref, request_id from audit_entries where subject = 'user' order by ref desc limit 2"
    )
    assert [tuple(row) for row in rows] == [("unsuspend", ref, "unsuspend"), ("suspend", ref, "suspend")]
