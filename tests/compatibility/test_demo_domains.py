"""POST /sites with `createDemoDomain`: a free name below the brand's domain, made from the user name."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.kit.hosts import normalize
from sitewright.kit.resources import Resources
from tests.compatibility.conftest import Send
from tests.sites.sites.shapes import all_rows, get_site
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.responses import object_in, problem_in
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_user

BELOW = "northwind.example"


def body(user_ref: int, **more: Any) -> dict[str, Any]:
    return {"brandRef": OWN_BRAND, "accountHolderRef": user_ref, "createDemoDomain": 1} | more


async def name_of_new(client: httpx.AsyncClient, user_ref: int, **more: Any) -> str:
    site = object_in(await client.post("/sites", json=body(user_ref, **more)), "site", 201)
    name: str = site["primaryDomain"]["domainName"]
    return name


@pytest.fixture
async def user_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources)


async def test_the_response_contains_the_demo_domain_like_any_other(
    send: Send, owner: httpx.AsyncClient, user_ref: int
) -> None:
    site = object_in(await send("POST", "/sites", **body(user_ref)), "site", 201)
    [domain] = site["domains"]
    assert domain == site["primaryDomain"] == {"ref": domain["ref"], "domainName": f"ann.{BELOW}"}
    assert site["primaryUrl"] == f"http://ann.{BELOW}"
    assert (await get_site(owner, site["ref"]))["domains"] == {str(domain["ref"]): f"ann.{BELOW}"}


@pytest.mark.parametrize("flag", [1, 0])
async def test_without_a_demo_domain_if_the_request_names_a_domain(send: Send, user_ref: int, flag: int) -> None:
    for names, expected in (({"domain": "a.example"}, "a.example"), ({"subdomain": "own"}, f"own.{BELOW}")):
        response = await send("POST", "/sites", **body(user_ref, createDemoDomain=flag, **names))
        site = object_in(response, "site", 201)
        assert [each["domainName"] for each in site["domains"]] == [expected]


@pytest.mark.parametrize("empty", [{"domain": ""}, {"subdomain": ""}, {"domain": "", "subdomain": ""}])
async def test_an_empty_domain_counts_as_not_sent(send: Send, user_ref: int, empty: dict[str, str]) -> None:
    """Forms also post their empty text fields."""
    site = object_in(await send("POST", "/sites", **body(user_ref, **empty)), "site", 201)
    assert [each["domainName"] for each in site["domains"]] == [f"ann.{BELOW}"]


async def test_an_empty_domain_with_a_subdomain(send: Send, user_ref: int) -> None:
    site = object_in(await send("POST", "/sites", **body(user_ref, domain="", subdomain="own")), "site", 201)
    assert [each["domainName"] for each in site["domains"]] == [f"own.{BELOW}"]


async def test_an_empty_domain_alone_is_400(send: Send, user_ref: int) -> None:
    response = await send("POST", "/sites", **body(user_ref, createDemoDomain=0, domain=""))
    assert problem_in(response) == (400, "invalidDomain")


async def test_without_create_demo_domain_a_domain_is_required(send: Send, user_ref: int) -> None:
    assert problem_in(await send("POST", "/sites", **body(user_ref, createDemoDomain=0))) == (400, "invalidDomain")


async def test_a_brand_without_a_domain(send: Send, user_ref: int, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute("update brands set domain = null where brand_ref = 1")
    before = await all_rows(owner_connection)
    response = await send("POST", "/sites", **body(user_ref))
    assert problem_in(response) == (400, "invalidCreateDemoDomain")
    assert list(response.json()["errors"]) == ["createDemoDomain"]
    assert await all_rows(owner_connection) == before


@pytest.mark.parametrize(
    ("username", "label"),
    [
        ("Ann.Example+shop@mail.example", "ann-example-shop"),
        ("Zoë Müller", "zoe-muller"),
        ("Straße", "strasse"),
        ("Søren", "soren"),
        ("--a__b--", "a-b"),
        ("ab--cd", "ab-cd"),
        ("12345", "12345"),
        ("@home", "site-{ref}"),
        ("日本語", "site-{ref}"),
        ("login", "site-{ref}"),
        ("WWW@mail.example", "site-{ref}"),
        ("x" * 255, "x" * 63),
        ("xn--bcher-kva", "xn-bcher-kva"),
    ],
)
async def test_the_name_is_a_readable_form_of_the_user_name(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, username: str, label: str
) -> None:
    user_ref = await make_user(owner_connection, resources, username=username)
    assert await name_of_new(owner, user_ref) == f"{label.format(ref=user_ref)}.{BELOW}"


async def test_no_reserved_name_is_assigned_to_any_caller(
    system_owner: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
) -> None:
    await owner_connection.execute(
        "update brands set reserved_names = '{jobs}', allowed_reserved_names = '{admin}' where brand_ref = 1"
    )
    for username in ("jobs", "admin"):
        user_ref = await make_user(owner_connection, resources, username=username, reseller_ref=RESELLER_REF)
        assert await name_of_new(system_owner, user_ref) == f"site-{user_ref}.{BELOW}"
        assert await name_of_new(reseller, user_ref) == f"site-{user_ref}-2.{BELOW}"


async def test_a_taken_name_gets_a_number_then_a_random_suffix(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    site_ref = await make_site(owner_connection, resources, user_ref=user_ref)
    for number in range(2, 31):
        await make_domain(owner_connection, OWN_BRAND, site_ref, f"ann-{number}.{BELOW}")
    assert await name_of_new(owner, user_ref) == f"ann.{BELOW}"
    name = await name_of_new(owner, user_ref)
    assert name.startswith("ann-")
    assert len(name) == len(f"ann-12345678.{BELOW}")


async def test_a_name_of_another_brand_is_taken(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    foreign = await make_site(owner_connection, resources, OTHER_BRAND)
    await make_domain(owner_connection, OTHER_BRAND, foreign, f"ann.{BELOW}")
    assert await name_of_new(owner, user_ref) == f"ann-2.{BELOW}"
    await owner_connection.execute("update brands set domain = $1 where brand_ref = 2", f"ann-3.{BELOW}")
    assert await name_of_new(owner, user_ref) == f"ann-4.{BELOW}"


async def test_a_long_brand_domain_shortens_the_label(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    domain = ".".join(["d" * 63, "e" * 63, "f" * 63, "g" * 43, "com"])
    await owner_connection.execute("update brands set domain = $1 where brand_ref = 1", domain)
    user_ref = await make_user(owner_connection, resources, username="a" * 40)
    for _ in range(2):
        name = await name_of_new(owner, user_ref)
        assert len(name) <= 253
        assert normalize(name) == name
    await owner_connection.execute("update brands set domain = $1 where brand_ref = 1", "hhhhhh." + domain)
    assert problem_in(await owner.post("/sites", json=body(user_ref))) == (400, "invalidCreateDemoDomain")


async def test_concurrent_requests_get_different_names(
    owner: httpx.AsyncClient, owner_operator: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    users = [await make_user(owner_connection, resources, username=f"ann@{number}.example") for number in range(20)]
    clients = (owner, owner_operator)
    names = await asyncio.gather(*(name_of_new(clients[place % 2], ref) for place, ref in enumerate(users)))
    assert set(names) == {f"ann.{BELOW}"} | {f"ann-{number}.{BELOW}" for number in range(2, 21)}
    assert await owner_connection.fetchval("select count(*) from profiles") == 20


async def test_a_request_for_a_taken_domain_changes_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    await name_of_new(owner, user_ref)
    before = await all_rows(owner_connection)
    assert problem_in(await owner.post("/sites", json=body(user_ref, subdomain="ann"))) == (409, "domainTaken")
    assert await all_rows(owner_connection) == before
