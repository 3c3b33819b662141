"""POST /users."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import GOT, OPTIONAL_TEXTS, TS, all_rows, create_user, get_user, ref_of_new_user
from tests.catalogue.packages.shapes import assert_shape
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.customers import new_user
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_the_response_is_that_of_a_get(owner: httpx.AsyncClient) -> None:
    holder = await create_user(owner)
    assert_shape(holder, GOT)
    assert_shape(holder["created"], TS)
    assert holder == await get_user(owner, holder["ref"])


async def test_defaults_of_fields_that_were_not_sent(owner: httpx.AsyncClient) -> None:
    holder = await create_user(owner)
    unset = {name: holder[name] for name in ("phoneNumber", "cpfNumber", "accountPaymentMethodRef", "lastLogin")}
    assert set(unset.values()) == {None}
    texts = ("address1", "address2", "city", "state", "postcode", "country", "company")
    assert {holder[name] for name in texts} == {""}
    assert (holder["newsletter"], holder["cpfCompany"], holder["storageBytesUsed"], holder["currencyRef"]) == (
        0,
        0,
        0,
        1,
    )
    assert (holder["beta"], holder["accountStatus"], holder["emailVerified"]) == (False, "allowed", False)


async def test_the_user_is_on_the_default_package(owner: httpx.AsyncClient, other_brand: httpx.AsyncClient) -> None:
    own = await create_user(owner)
    other = await create_user(other_brand, brandRef=OTHER_BRAND)
    assert (own["subscriptionPackageRef"], own["capabilities"]["liveSites"]) == (1, "1")
    assert (other["subscriptionPackageRef"], other["capabilities"]["liveSites"]) == (6, "0")
    assert (own["brandRef"], other["brandRef"]) == (OWN_BRAND, OTHER_BRAND)
    assert (own["nrtStatus"], own["nrtDaysToExpiry"], own["editorAccess"]) == (False, 0, True)


async def test_in_a_brand_without_a_default_package_a_user_has_none(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    default = await owner_connection.fetchval("select default_package_ref from brands where brand_ref = $1", OWN_BRAND)
    try:
        await owner_connection.execute("update brands set default_package_ref = null where brand_ref = $1", OWN_BRAND)
        holder = await create_user(owner)
        assert holder["subscriptionPackageRef"] is None
        assert holder == await get_user(owner, holder["ref"])
    finally:
        await owner_connection.execute(
            "update brands set default_package_ref = $2 where brand_ref = $1", OWN_BRAND, default
        )
    assert await owner_connection.fetchval("select count(*) from account_packages") == 0
    [event] = await owner_connection.fetch("select kind, package_ref from lifecycle_events")
    assert tuple(event) == ("registration", None)


async def test_everything_that_may_be_sent(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    sent = dict.fromkeys(OPTIONAL_TEXTS, "é" * 255) | {"newsletter": "1", "cpfCompany": 1, "currencyRef": "2"}
    metadata = [{"name": "colour", "value": "blue"}, {"name": "colour", "value": "green"}]
    holder = await create_user(owner, **sent, metadata=metadata)
    assert {name: holder[name] for name in sent} == sent | {"newsletter": 1, "currencyRef": 2}
    assert holder == await get_user(owner, holder["ref"])
    assert msgspec.json.decode(await owner_connection.fetchval("select metadata from users")) == metadata


async def test_metadata_as_an_object(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await create_user(owner, metadata={"ab": "cd", "n" * 127: "v" * 255})
    kept = msgspec.json.decode(await owner_connection.fetchval("select metadata from users"))
    assert kept == [{"name": "ab", "value": "cd"}, {"name": "n" * 127, "value": "v" * 255}]


async def test_a_form_is_accepted(owner: httpx.AsyncClient) -> None:
    response = await owner.post("/users", data=new_user() | {"newsletter": "1"})
    assert response.status_code == 201
    assert response.json()["accountHolder"]["newsletter"] == 1


@pytest.mark.parametrize("brand_ref", [None, "abc", 1.0, True, "", []])
async def test_an_invalid_brand_ref_is_rejected(owner: httpx.AsyncClient, brand_ref: Any) -> None:
    response = await owner.post("/users", json=new_user(brandRef=brand_ref))
    assert problem_in(response) == (400, "invalidBrandRef")


@pytest.mark.parametrize("brand_ref", [OTHER_BRAND, 999, str(OTHER_BRAND)])
async def test_another_brand_is_rejected_before_the_body_is_validated(owner: httpx.AsyncClient, brand_ref: Any) -> None:
    response = await owner.post("/users", json={"brandRef": brand_ref})
    assert problem_in(response) == (403, "brandMismatch")


async def test_a_system_owner_names_the_brand_in_the_body(system_owner: httpx.AsyncClient) -> None:
    assert (await create_user(system_owner, brandRef=OTHER_BRAND, languageCode="fr"))["brandRef"] == OTHER_BRAND
    assert problem_in(await system_owner.post("/users", json=new_user(brandRef=None))) == (400, "brandRequired")
    assert problem_in(await system_owner.post("/users", json=new_user(brandRef=999))) == (400, "invalidBrandRef")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ann", "ann"), ("ann", "ANN"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("É", "e\u0301"),
        ("Ǆ", "ǆ"), ("ΣΑΣ", "σας"), ("\ufb01nn", "FINN"),
    ],
)  # fmt: skip
async def test_a_username_is_taken_however_it_is_spelled(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, first: str, second: str
) -> None:
    await create_user(owner, username=first)
    before = await all_rows(owner_connection)
    response = await owner.post("/users", json=new_user(username=second))
    assert problem_in(response) == (409, "usernameTaken")
    assert await all_rows(owner_connection) == before


async def test_other_names_and_the_same_address_are_free(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient
) -> None:
    for username in ("ann", "ann ", "ann2", "änn"):
        await create_user(owner, username=username)
    await create_user(other_brand, brandRef=OTHER_BRAND)


async def test_the_name_of_a_deleted_or_anonymized_user_is_free(owner: httpx.AsyncClient) -> None:
    await owner.delete(f"/users/{await ref_of_new_user(owner)}")
    await owner.post(f"/users/{await ref_of_new_user(owner)}/anonymise")
    await create_user(owner)


async def test_of_fifty_concurrent_requests_one_gets_the_username(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    names = [("ann", "ANN", "Ann")[number % 3] for number in range(50)]
    responses = await asyncio.gather(*(owner.post("/users", json=new_user(username=name)) for name in names))
    statuses = sorted(response.status_code for response in responses)
    assert statuses == [201] + [409] * 49
    tables = ("users", "account_packages", "lifecycle_events", "mails")
    assert [await owner_connection.fetchval(f"select count(*) from {table}") for table in tables] == [1, 1, 1, 1]


async def test_a_repeated_idempotent_request_creates_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    key = {"Idempotency-Key": "first-customer"}
    first, second = [await owner.post("/users", json=new_user(), headers=key) for _ in range(2)]
    assert (first.status_code, second.status_code) == (201, 201)
    assert (first.content, second.headers["Idempotency-Replayed"]) == (second.content, "true")
    assert await owner_connection.fetchval("select count(*) from users") == 1


async def test_a_new_user_has_an_event_a_mail_and_an_audit_entry(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    response = await owner.post("/users", json=new_user(), headers={"X-Request-Id": "req-1"})
    ref = response.json()["accountHolder"]["ref"]
    event = await owner_connection.fetchrow("select user_ref, kind, package_ref from lifecycle_events")
    mail = await owner_connection.fetchrow("select user_ref, kind from mails")
    audit = await owner_connection.fetchrow(
        "select action, subject, subject_ref, brand_ref, details from audit_entries where request_id = 'req-1'"
    )
    assert tuple(event or ()) == (ref, "registration", 1)
    assert tuple(mail or ()) == (ref, "welcome")
    assert tuple(audit or ()) == ("create", "user", ref, OWN_BRAND, "{}")


async def test_the_password_is_stored_as_argon2id(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, production_hashing: None
) -> None:
    await create_user(owner, password="pässwörd")
    kept = await owner_connection.fetchval("select password_hash from users")
    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await resources.passwords.verify("pässwörd", kept)


async def test_a_resellers_user_belongs_to_it(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await create_user(reseller, username="a")
    await create_user(reseller, username="b", resellerRef=RESELLER_REF)
    await create_user(owner, username="c", resellerRef=RESELLER_REF)
    rows = await owner_connection.fetch("select reseller_ref from users")
    assert [row["reseller_ref"] for row in rows] == [RESELLER_REF] * 3


async def test_a_reseller_cannot_create_users_of_other_resellers(
    reseller: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await make_resellers(owner_connection)
    for reseller_ref in (8, 9, 10, 999):
        response = await reseller.post("/users", json=new_user(resellerRef=reseller_ref))
        assert problem_in(response) == (400, "invalidResellerRef")


async def test_a_reseller_of_another_brand_or_a_deleted_one_is_rejected(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await make_resellers(owner_connection)
    codes = [(await owner.post("/users", json=new_user(resellerRef=ref))).status_code for ref in (8, 9, 10)]
    assert codes == [201, 400, 400]


async def make_resellers(owner_connection: OwnerConnection) -> None:
    """8 of the brand, 9 of the brand but deleted, 10 of the other brand."""
    await owner_connection.execute(
        "insert into resellers (brand_ref, ref, reseller_name, display_name, created_at, deleted_at) values"
        " (1, 8, 'r', 'r', now(), null), (1, 9, 'r', 'r', now(), now()), (2, 10, 'r', 'r', now(), null)"
    )


async def test_older_releases(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    old, newer = {"X-Api-Version": "7.36"}, {"X-Api-Version": "7.37"}
    twenty = new_user(password="x" * 20)
    assert problem_in(await owner.post("/users", json=twenty, headers=old)) == (400, "invalidPassword")
    assert (await owner.post("/users", json=twenty | {"username": "b"}, headers=newer)).status_code == 201
    assert (await owner.post("/users", json=new_user(password="x" * 19), headers=old)).status_code == 201


async def test_metadata_is_ignored_before_its_release(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    for release in ("v105", "106"):
        body = new_user(username=release, metadata=[{"name": "ab", "value": "cd"}])
        assert (await owner.post("/users", json=body, headers={"X-Api-Version": release})).status_code == 201
    body = new_user(metadata="nonsense")
    assert (await owner.post("/users", json=body, headers={"X-Api-Version": "105"})).status_code == 201
    kept = await owner_connection.fetch("select metadata from users order by ref")
    assert [row["metadata"] for row in kept] == ["[]", '[{"name": "ab", "value": "cd"}]', "[]"]


async def test_a_brand_without_a_default_package(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute("update brands set default_package_ref = null")
    holder = await create_user(owner)
    assert (holder["subscriptionPackageRef"], set(holder["capabilities"].values())) == (None, {"0", "N"})
