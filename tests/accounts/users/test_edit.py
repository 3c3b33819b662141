"""PUT /users/:userRef."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from sitewright.kit import mail
from sitewright.kit.resources import Resources
from tests.accounts.users.access import issue_tokens, start_session, valid_tokens
from tests.accounts.users.shapes import (
    EDITED,
    OPTIONAL_TEXTS,
    address,
    all_rows,
    create_user,
    get_user,
    ref_of_new_user,
)
from tests.catalogue.packages.shapes import assert_shape
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.responses import object_in, problem_in
from tests.support.users import OwnerConnection


async def edit_user(client: httpx.AsyncClient, ref: int, **changes: Any) -> dict[str, Any]:
    return object_in(await client.put(f"/users/{ref}", json=changes), "accountHolder")


async def test_every_field_has_its_type(owner: httpx.AsyncClient) -> None:
    holder = await edit_user(owner, await ref_of_new_user(owner), firstName="Bea")
    assert_shape(holder, EDITED)
    assert (holder["beta"], holder["firstName"], holder["lastName"]) == ("false", "Bea", "Example")


async def test_consistent_types(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute("update brands set consistent_types = true")
    assert (await edit_user(owner, await ref_of_new_user(owner)))["beta"] is False


async def stored_metadata(owner_connection: OwnerConnection, ref: int) -> Any:
    return json.loads(await owner_connection.fetchval("select metadata from users where ref = $1", ref))


async def test_metadata_replaces_all_earlier_metadata(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner, metadata={"crm": "4711", "tier": "gold"})
    await edit_user(owner, ref, firstName="Bea")
    assert len(await stored_metadata(owner_connection, ref)) == 2
    await edit_user(owner, ref, metadata={"crm": 4712})
    assert await stored_metadata(owner_connection, ref) == [{"name": "crm", "value": "4712"}]
    refusal = await owner.put(f"/users/{ref}", json={"metadata": "junk"})
    assert problem_in(refusal) == (400, "invalidMetadata")
    await edit_user(owner, ref, metadata=[])
    assert await stored_metadata(owner_connection, ref) == []


async def test_everything_that_may_be_sent(owner: httpx.AsyncClient) -> None:
    sent = dict.fromkeys(OPTIONAL_TEXTS, "x" * 255) | {
        "firstName": "F" * 150, "lastName": "L" * 150, "username": "U" * 255, "email": address(255),
        "languageCode": "es", "newsletter": 1, "currencyRef": 2, "cpfCompany": 1,
    }  # fmt: skip
    ref = await ref_of_new_user(owner)
    holder = await edit_user(owner, ref, **sent)
    assert {name: holder[name] for name in sent} == sent
    assert {name: value for name, value in (await get_user(owner, ref)).items() if name in sent} == sent


async def test_fields_that_are_left_out_do_not_change(owner: httpx.AsyncClient) -> None:
    before = await create_user(owner, phoneNumber="1", cpfNumber="2", city="Oslo", newsletter=1)
    assert (await owner.put(f"/users/{before['ref']}")).status_code == 200
    await edit_user(owner, before["ref"], unheardOf="ignored", metadata=[], brandRef=OWN_BRAND)
    assert await get_user(owner, before["ref"]) == before


async def test_null_clears_two_fields(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner, phoneNumber="1", cpfNumber="2")
    holder = await edit_user(owner, ref, phoneNumber=None, cpfNumber=None)
    assert (holder["phoneNumber"], holder["cpfNumber"]) == (None, None)


WRONG: list[tuple[str, Any]] = [
    *((name, value) for name in ("firstName", "lastName") for value in ("", "x" * 151, None, 7)),
    *(("username", value) for value in ("", "x" * 256, None)),
    *(("password", value) for value in ("123456", "x" * 101, None)),
    *(("email", value) for value in ("a@bc", address(256), "a" * 65 + "@b.example", "nowhere", None)),
    *(("languageCode", value) for value in ("fr", "", None)),
    *((name, value) for name in OPTIONAL_TEXTS for value in ("x" * 256, 7)),
    *((name, None) for name in ("address1", "company", "newsletter", "currencyRef", "cpfCompany", "deleted")),
    *(("deleted", value) for value in (2, "yes", 1.0)), ("currencyRef", 999), ("newsletter", 2),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), WRONG)
async def test_a_rejected_request_changes_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, field: str, value: Any
) -> None:
    ref = await ref_of_new_user(owner)
    before = await all_rows(owner_connection)
    response = await owner.put(f"/users/{ref}", json={"city": "Oslo", field: value})
    assert problem_in(response) == (400, f"invalid{field[0].upper()}{field[1:]}")
    assert await all_rows(owner_connection) == before


async def test_every_failing_field_is_named_at_once(owner: httpx.AsyncClient) -> None:
    wrong = {"firstName": "", "email": "nowhere", "languageCode": "fr", "currencyRef": 999}
    response = await owner.put(f"/users/{await ref_of_new_user(owner)}", json=wrong)
    assert set(response.json()["errors"]) == set(wrong)


async def test_a_404_takes_precedence_over_a_400(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    for client, path in ((owner, "/users/999"), (reseller, f"/users/{ref}"), (owner, "/users/abc")):
        assert problem_in(await client.put(path, json={"firstName": ""})) == (404, "userNotFound")
    response = await reseller.put(f"/users/{ref}", content=b"{", headers={"Content-Type": "application/json"})
    assert problem_in(response) == (404, "userNotFound")


async def test_a_reseller_edits_its_own(reseller: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    assert (await edit_user(reseller, await ref_of_new_user(reseller), city="Oslo"))["city"] == "Oslo"
    assert await owner_connection.fetchval("select reseller_ref from users") == RESELLER_REF


async def test_a_username_may_change_its_case_but_not_take_anothers(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner, username="ann")
    await create_user(owner, username="Bea")
    assert (await edit_user(owner, ref, username="ANN"))["username"] == "ANN"
    before = await all_rows(owner_connection)
    for taken in ("bea", "BEA", "Be\N{LATIN SMALL LETTER A}"):
        assert problem_in(await owner.put(f"/users/{ref}", json={"username": taken})) == (409, "usernameTaken")
    assert await all_rows(owner_connection) == before
    found = (await owner.get("/users", params={"username": "aNN"})).json()
    assert [each["ref"] for each in found["accountHolders"]] == [ref]


async def test_another_address_is_not_verified(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await ref_of_new_user(owner)
    await owner_connection.execute("update users set email_verified_at = now()")
    await edit_user(owner, ref, email="ann@mail.example", city="Oslo")
    assert (await get_user(owner, ref))["emailVerified"] is True
    await edit_user(owner, ref, email="ann@other.example")
    assert (await get_user(owner, ref))["emailVerified"] is False


async def test_a_new_address_revokes_tokens_of_the_old_one(owner: httpx.AsyncClient, resources: Resources) -> None:
    ref = await ref_of_new_user(owner)
    given = await issue_tokens(resources, ref)
    await edit_user(owner, ref, email="ann@other.example")
    assert await valid_tokens(resources, given) == ["login"]


async def test_a_new_password_ends_sessions_and_revokes_tokens(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner)
    given = await issue_tokens(resources, ref)
    await start_session(owner_connection, ref)
    await edit_user(owner, ref, password="another one")
    assert await valid_tokens(resources, given) == ["verification"]
    assert await owner_connection.fetchval("select count(*) from sessions") == 0
    kept = await owner_connection.fetchval("select password_hash from users")
    assert await resources.passwords.verify("another one", kept)


async def test_a_new_password_is_mailed_to_the_old_address(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner)
    await edit_user(owner, ref, password="another one", email="thief@other.example")
    row = await owner_connection.fetchrow("select user_ref, facts from mails where kind = 'passwordChanged'")
    assert row is not None
    assert row["user_ref"] == ref
    assert mail.open_facts(resources.sealer, OWN_BRAND, row["facts"]) == {"to": "ann@mail.example"}


async def test_other_edits_keep_sessions_and_tokens(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner)
    given = await issue_tokens(resources, ref)
    await start_session(owner_connection, ref)
    await edit_user(owner, ref, username="bea", languageCode="de", city="Oslo")
    assert len(await valid_tokens(resources, given)) == 3
    assert await owner_connection.fetchval("select count(*) from sessions") == 1


async def test_concurrent_edits_do_not_lose_updates(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    names = [*OPTIONAL_TEXTS, "firstName", "lastName", "username"]
    await asyncio.gather(*(edit_user(owner, ref, **{name: f"new {name}"}) for name in names))
    holder = await get_user(owner, ref)
    assert {name: holder[name] for name in names} == {name: f"new {name}" for name in names}


async def test_of_concurrent_edits_to_one_username_one_succeeds(owner: httpx.AsyncClient) -> None:
    refs = [await ref_of_new_user(owner, username=f"user{number}") for number in range(8)]
    responses = await asyncio.gather(*(owner.put(f"/users/{ref}", json={"username": "Ann"}) for ref in refs))
    assert sorted(response.status_code for response in responses) == [200] + [409] * 7


async def test_the_audit_names_fields_and_no_values(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref = await ref_of_new_user(owner)
    changes = {"password": "another one", "email": "x@other.example", "phoneNumber": None}
    await owner.put(f"/users/{ref}", json=changes, headers={"X-Request-Id": "req-2"})
    row = await owner_connection.fetchrow(
        "select action, subject_ref, details from audit_entries where request_id = 'req-2'"
    )
    assert tuple(row or ()) == ("edit", ref, '{"fields": ["email", "password", "phoneNumber"]}')


async def test_an_older_release_accepts_only_shorter_passwords(owner: httpx.AsyncClient) -> None:
    ref = await ref_of_new_user(owner)
    for release, length, status in (("36", 19, 200), ("36", 20, 400), ("37", 20, 200), ("37", 100, 200)):
        body = {"password": "x" * length}
        response = await owner.put(f"/users/{ref}", json=body, headers={"X-Api-Version": release})
        assert response.status_code == status
