"""GET and PUT /users/:userRef/profiles/:profileRef."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import create_site
from tests.support.responses import object_in, problem_in
from tests.support.users import OwnerConnection, make_user


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


@pytest.fixture
async def path(owner: httpx.AsyncClient, user_ref: int) -> str:
    """The path of the profile of a new site."""
    site = await create_site(owner, user_ref, "a.example")
    return f"/users/{user_ref}/profiles/{site['profileRef']}"


async def put(client: httpx.AsyncClient, path: str, fields: Any) -> dict[str, Any]:
    return object_in(await client.put(path, json={"fields": fields}), "profile")


async def fields_of(client: httpx.AsyncClient, path: str) -> dict[str, str]:
    response = await client.get(path)
    assert response.status_code == 200, response.text
    return {field["name"]: field["value"] for field in response.json()["profile"]["fields"]}


async def test_a_get_returns_what_was_put(owner: httpx.AsyncClient, user_ref: int, path: str) -> None:
    ref = int(path.rsplit("/", 1)[1])
    fields = [{"name": "email", "value": "joe@mail.example"}, {"name": "business", "value": "Joe's <b>Bakery</b> ☕"}]
    assert await put(owner, path, fields) == {"profileRef": ref}
    profile = (await owner.get(path)).json()["profile"]
    assert_shape(profile, {"ref": (int,), "userRef": (int,), "fields": (list,)})
    assert profile == {"ref": ref, "userRef": user_ref, "fields": fields[::-1]}


async def test_fields_that_are_not_sent_do_not_change(owner: httpx.AsyncClient, path: str) -> None:
    await put(owner, path, {"business": "Joe's", "email": "joe@mail.example"})
    await put(owner, path, [{"name": "email", "value": ""}, {"name": "own name", "value": "x"}])
    assert await fields_of(owner, path) == {"business": "Joe's", "email": "", "own name": "x"}
    await put(owner, path, [])
    assert len(await fields_of(owner, path)) == 3


async def test_the_last_value_of_a_repeated_name_is_used(owner: httpx.AsyncClient, path: str) -> None:
    await put(owner, path, [{"name": "phone", "value": "1"}, {"name": "phone", "value": "2"}])
    assert await fields_of(owner, path) == {"phone": "2"}


async def test_concurrent_puts_of_different_fields_are_all_kept(owner: httpx.AsyncClient, path: str) -> None:
    await asyncio.gather(*(put(owner, path, {f"field{number}": "x"}) for number in range(20)))
    assert len(await fields_of(owner, path)) == 20


WRONG: list[tuple[Any, str]] = [
    ("x", "invalidFields"),
    (None, "invalidFields"),
    ([{"name": "", "value": "x"}], "invalidName"),
    ([{"name": "a" * 101, "value": "x"}], "invalidName"),
    ([{"value": "x"}], "invalidName"),
    ([{"name": "x"}], "invalidValue"),
    ([{"name": "x", "value": "a" * 10_001}], "invalidValue"),
    ([{"name": "x", "value": None}], "invalidValue"),
    ([{"name": "x", "value": 7}], "invalidValue"),
    ([{"name": "x", "value": "nul\0"}], "invalidValue"),
    ([{"name": "nul\0", "value": "x"}], "invalidName"),
    (["x"], "invalidFields"),
    ({f"field{number}": "x" for number in range(200)}, "invalidFields"),
]


@pytest.mark.parametrize(("fields", "code"), WRONG, ids=lambda value: repr(value)[:40])
async def test_an_invalid_body_is_rejected_and_changes_nothing(
    owner: httpx.AsyncClient, path: str, fields: Any, code: str
) -> None:
    await put(owner, path, {"business": "Joe's"})
    response = await owner.put(path, json={} if fields is None else {"fields": fields})
    assert problem_in(response) == (400, code)
    assert await fields_of(owner, path) == {"business": "Joe's"}


async def test_the_maximum_number_of_fields(owner: httpx.AsyncClient, path: str) -> None:
    await put(owner, path, {"a" * 100: "ä" * 10_000})
    await put(owner, path, {f"field{number}": "x" for number in range(199)})
    assert len(await fields_of(owner, path)) == 200


async def test_a_profile_of_another_user_is_not_found(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, path: str
) -> None:
    other = await make_user(owner_connection, resources, username="other")
    of_user, ref = path.rsplit("/", 1)
    for wrong in (f"/users/{other}/profiles/{ref}", f"{of_user}/999999", f"{path}x"):
        assert problem_in(await owner.get(wrong)) == (404, "profileNotFound")
        assert problem_in(await owner.put(wrong, json={})) == (404, "profileNotFound")
    assert problem_in(await owner.get(f"/users/999999/profiles/{ref}")) == (404, "userNotFound")


async def test_anonymizing_the_user_erases_profile_values(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int, path: str
) -> None:
    other = await make_user(owner_connection, resources, username="other")
    site = await create_site(owner, other, "b.example")
    others = f"/users/{other}/profiles/{site['profileRef']}"
    for each in (path, others):
        await put(owner, each, {"business": "Joe's", "email": "joe@mail.example"})
    await owner.post(f"/users/{user_ref}/anonymise")
    assert await fields_of(owner, path) == {"business": "anonymised", "email": "anonymised"}
    assert (await fields_of(owner, others))["business"] == "Joe's"
    assert problem_in(await owner.put(path, json={"fields": {"business": "Joe's"}})) == (409, "anonymised")


async def test_an_edit_is_audited_without_values(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, path: str
) -> None:
    await put(owner, path, {"email": "joe@mail.example"})
    row = await owner_connection.fetchrow("select * from audit_entries where subject = 'profile'")
    assert row is not None
    assert (row["action"], row["details"]) == ("edit", '{"fields": 1}')
