"""DELETE /users/:userRef, and restoring: PUT with `deleted: 0`."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from sitewright.accounts.account_packages.hooks import LiveSiteLimit, live_sites_limited
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from tests.accounts.users.access import issue_tokens, start_session, valid_tokens
from tests.accounts.users.shapes import all_rows, create_user, get_user, ref_of_new_user
from tests.support.hooks import also_observed_by
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def create_deleted_user(client: httpx.AsyncClient, **changes: Any) -> int:
    ref = await ref_of_new_user(client, **changes)
    response = await client.delete(f"/users/{ref}")
    assert (response.status_code, response.content) == (204, b"")
    return ref


async def test_a_deleted_user_is_kept_but_not_found(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await create_deleted_user(owner)
    assert await owner_connection.fetchval("select deleted_at is not null from users where ref = $1", ref)
    for method, path in (
        ("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/suspend"), ("POST", "/unsuspend"),
    ):  # fmt: skip
        assert problem_in(await owner.request(method, f"/users/{ref}{path}")) == (404, "userNotFound")


async def test_sessions_end_and_tokens_are_revoked(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner)
    tokens = await issue_tokens(resources, ref)
    await start_session(owner_connection, ref)
    await owner.delete(f"/users/{ref}")
    assert await valid_tokens(resources, tokens) == []
    assert await owner_connection.fetchval("select count(*) from sessions") == 0


@pytest.mark.parametrize("way", ["DELETE", "PUT"])
async def test_the_sites_go_offline(owner: httpx.AsyncClient, way: str) -> None:
    ref = await ref_of_new_user(owner)
    seen: list[LiveSiteLimit] = []

    async def observer(_tx: Transaction, changes: Sequence[LiveSiteLimit]) -> None:
        seen.extend(changes)

    with also_observed_by(live_sites_limited, observer):
        response = await owner.request(way, f"/users/{ref}", json={"deleted": 1} if way == "PUT" else None)
    assert response.status_code in (200, 204)
    assert seen == [LiveSiteLimit(ref, 0)]


async def test_an_edit_may_delete(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    response = await owner.put(f"/users/{ref}", json={"deleted": 1, "city": "Oslo"})
    assert (response.json()["accountHolder"]["deleted"], response.json()["accountHolder"]["city"]) == (True, "Oslo")
    assert problem_in(await owner.get(f"/users/{ref}")) == (404, "userNotFound")


@pytest.mark.parametrize("flag", [0, "0", False])
async def test_a_deleted_user_is_restored(owner: httpx.AsyncClient, flag: Any) -> None:
    ref = await create_deleted_user(owner)
    response = await owner.put(f"/users/{ref}", json={"deleted": flag, "firstName": "Bea"})
    assert (response.status_code, response.json()["accountHolder"]["deleted"]) == (200, False)
    assert (await get_user(owner, ref))["firstName"] == "Bea"


async def test_any_other_edit_of_a_deleted_user_is_a_404(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await create_deleted_user(owner)
    before = await all_rows(owner_connection)
    for body in ({}, {"firstName": "Bea"}, {"deleted": 1}, {"deleted": None}, {"deleted": 2}, {"firstName": ""}):
        assert problem_in(await owner.put(f"/users/{ref}", json=body)) == (404, "userNotFound")
    response = await owner.put(f"/users/{ref}", json={"deleted": 0, "firstName": ""})
    assert problem_in(response) == (400, "invalidFirstName")
    assert await all_rows(owner_connection) == before


async def test_restoring_with_a_username_that_is_taken(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await create_deleted_user(owner, username="ann")
    await create_user(owner, username="ANN")
    before = await all_rows(owner_connection)
    assert problem_in(await owner.put(f"/users/{ref}", json={"deleted": 0})) == (409, "usernameTaken")
    assert await all_rows(owner_connection) == before
    response = await owner.put(f"/users/{ref}", json={"deleted": 0, "username": "bea"})
    assert response.json()["accountHolder"]["username"] == "bea"


async def test_restoring_a_user_that_is_not_deleted(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    assert (await owner.put(f"/users/{ref}", json={"deleted": 0})).status_code == 200


async def test_only_restoring_a_deleted_user_withdraws_the_request_for_deletion(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    """Clients send `deleted: 0` with every edit."""
    ref = await ref_of_new_user(owner)
    await owner_connection.execute("update users set deletion_requested_at = now() where ref = $1", ref)
    is_requested = "select deletion_requested_at is not null from users where ref = $1"
    assert (await owner.put(f"/users/{ref}", json={"deleted": 0, "city": "Oslo"})).status_code == 200
    assert await owner_connection.fetchval(is_requested, ref) is True
    await owner.delete(f"/users/{ref}")
    assert (await owner.put(f"/users/{ref}", json={"deleted": 0})).status_code == 200
    assert await owner_connection.fetchval(is_requested, ref) is False


async def test_a_reseller_deletes_and_restores_only_its_own_users(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient
) -> None:
    own, foreign = await create_deleted_user(reseller), await ref_of_new_user(owner, username="bea")
    assert (await reseller.put(f"/users/{own}", json={"deleted": 0})).status_code == 200
    assert problem_in(await reseller.delete(f"/users/{foreign}")) == (404, "userNotFound")
    await owner.delete(f"/users/{foreign}")
    assert problem_in(await reseller.put(f"/users/{foreign}", json={"deleted": 0})) == (404, "userNotFound")


async def test_counts_are_updated(owner: httpx.AsyncClient) -> None:
    async def counts() -> list[str]:
        shown = [await owner.get("/users", params={"showDeleted": show}) for show in (0, 1)]
        return [response.json()["count"] for response in shown]

    seen = [await counts()]
    ref = await ref_of_new_user(owner)
    seen.append(await counts())
    await owner.delete(f"/users/{ref}")
    seen.append(await counts())
    await owner.put(f"/users/{ref}", json={"deleted": 0})
    seen.append(await counts())
    assert seen == [["0", "0"], ["1", "1"], ["0", "1"], ["1", "1"]]


async def test_changes_are_audited(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await create_deleted_user(owner)
    await owner.put(f"/users/{ref}", json={"deleted": 0}, headers={"X-Request-Id": "req-3"})
    rows = await owner_connection.fetch(
        "select action, subject_ref, details from audit_entries where subject = 'user' order by ref desc limit 2"
    )
    assert [tuple(row) for row in rows] == [("edit", ref, '{"fields": ["deleted"]}'), ("delete", ref, "{}")]
