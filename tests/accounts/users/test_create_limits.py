"""POST /users: every limit at both edges, and bodies that are invalid as a whole."""

import json
from typing import Any

import httpx
import pytest

from tests.accounts.users.shapes import OPTIONAL_TEXTS, address, all_rows, create_user
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.customers import new_user
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

JSON = {"Content-Type": "application/json"}

EDGES: list[tuple[str, Any]] = [
    ("firstName", "x"), ("firstName", "x" * 150), ("lastName", "x"), ("lastName", "x" * 150),
    ("username", "x"), ("username", "x" * 255), ("username", "\N{MUSICAL SYMBOL FUSA BLACK}" * 255),
    ("password", "1234567"), ("password", "x" * 100), ("email", "a@b.c"), ("email", "a" * 64 + "@mail.example"),
    ("email", address(254)), ("languageCode", "de"), ("resellerRef", str(RESELLER_REF)),
    ("metadata", [{"name": "ab", "value": "cd"}]), ("metadata", []), ("metadata", {}), ("cpfCompany", 2**31 - 1),
    ("brandRef", str(OWN_BRAND)), ("newsletter", True), ("newsletter", 0), ("newsletter", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), EDGES)
async def test_just_inside_the_limits(owner: httpx.AsyncClient, field: str, value: Any) -> None:
    holder = await create_user(owner, **{field: value})
    if field not in ("password", "resellerRef", "metadata"):
        assert str(holder[field]) == str(int(value) if isinstance(value, bool) else value)


WRONG: dict[str, list[Any]] = {
    "firstName": ["", "x" * 151, 7, ["x"], "a\0b", "\ud800"],
    "lastName": ["", "x" * 151, 7, ["x"], "a\0b", "\udfff"],
    "username": ["", "x" * 256, 7, {}],
    "password": ["", "123456", "x" * 101, 1234567],
    "email": ["", "a@bc", address(255), "a" * 65 + "@b.example", 7],
    "languageCode": ["", "fr", "eng", "en-GB", 1],
    "resellerRef": [999, 0, -1, "abc", 1.0, True, ""],
    "currencyRef": [999, 0, "x", 1.0],
    "newsletter": [2, "yes", "on", 1.0, []],
    "cpfCompany": [-1, 2**31, "x", 1.5, True],
    "metadata": ["x", 7],
    **{name: ["x" * 256, 7] for name in OPTIONAL_TEXTS},
}


@pytest.mark.parametrize(("field", "value"), [(field, each) for field, values in WRONG.items() for each in values])
async def test_just_outside_the_limits(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    before = await all_rows(owner_connection)
    response = await owner.post("/users", content=json.dumps(new_user() | {field: value}), headers=JSON)
    assert problem_in(response) == (400, f"invalid{field[0].upper()}{field[1:]}")
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize("field", ["address1", "city", "company", "firstName", "newsletter", "cpfCompany", "metadata"])
async def test_null_is_rejected_for_required_fields(owner: httpx.AsyncClient, field: str) -> None:
    response = await owner.post("/users", json=new_user() | {field: None})
    assert problem_in(response) == (400, f"invalid{field[0].upper()}{field[1:]}")


@pytest.mark.parametrize("field", ["phoneNumber", "cpfNumber", "currencyRef", "resellerRef"])
async def test_null_is_accepted_for_nullable_fields(owner: httpx.AsyncClient, field: str) -> None:
    assert (await owner.post("/users", json=new_user() | {field: None})).status_code == 201


@pytest.mark.parametrize(
    ("pair", "where"),
    [
        ({"name": "x", "value": "ok"}, "metadata[1].name"),
        ({"name": "x" * 128, "value": "ok"}, "metadata[1].name"),
        ({"name": "ok", "value": "x"}, "metadata[1].value"),
        ({"name": "ok", "value": "x" * 256}, "metadata[1].value"),
        ({"name": "ok"}, "metadata[1].value"),
    ],
)
async def test_metadata_outside_its_limits(owner: httpx.AsyncClient, pair: dict[str, str], where: str) -> None:
    response = await owner.post("/users", json=new_user(metadata=[{"name": "ab", "value": "cd"}, pair]))
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [where]


async def test_every_failing_field_is_named_at_once(owner: httpx.AsyncClient) -> None:
    wrong = {"email": "nowhere", "languageCode": "fr", "resellerRef": 999, "currencyRef": 999, "password": "short"}
    response = await owner.post(
        "/users", json=new_user(**wrong, firstName=None, metadata=[{"name": "x", "value": "ok"}])
    )
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == {*wrong, "firstName", "metadata[0].name"}


async def test_no_body_at_all(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/users")
    required = {"brandRef", "firstName", "lastName", "username", "password", "email", "languageCode"}
    assert set(response.json()["errors"]) == required
