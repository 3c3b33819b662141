"""Every list is bounded in encoded bytes, and `Link` leads to every item exactly once, forwards and backwards."""

import re
from datetime import timedelta
from typing import Any, get_origin, get_type_hints

import httpx
import msgspec
import pytest

from sitewright.accounts.users import routes as user_routes
from sitewright.app import ENDPOINTS
from sitewright.kit import clock
from sitewright.kit.http import Endpoint, list_size_limit
from sitewright.kit.http.list_size_limit import MAX_RESPONSE_BYTES
from sitewright.kit.resources import Resources
from tests.isolation.estates import Builder, Plan, Refs
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.paging import links
from tests.support.sites import make_domain, make_media, make_page, make_site, make_widget
from tests.support.users import OwnerConnection, assign_package, insert, make_reseller, make_user
from tests.web.account.factories import make_template

LISTS = [endpoint for endpoint in ENDPOINTS if endpoint.list_field is not None]
ALL_AT_ONCE = {
    "GET /brands/{brand_ref:int}/languages",
    "GET /brands/{brand_ref:int}/accounts/{external_id:str}",
    "GET /page-sets",
    "GET /sections",
    "GET /v2/widget-types",
    "GET /sites/{site_ref:int}/changes",
    "GET /sites/{site_ref:int}/publishable",
    "GET /webhooks/subscription",
    "GET /operators",
    "GET /operator-invitations",
    "GET /api-credentials",
}
"""Small lists: of the operator, of the service, the last 200 changes, one per reason or domain, at most 1,000
addresses, and at most 500 people and 500 credentials."""
FEEDS = {"GET /events"}
"""Read with `next` and not with `Link`; the store bounds their bytes."""
KINDS = {
    "brand_ref": "brand",
    "reseller_ref": "reseller",
    "user_ref": "user",
    "site_ref": "site",
    "account_domain_ref": "accountDomain",
    "static_widget_id": "staticWidget",
    "subscription_id": "subscription",
}
NUMBER = 3


def list_fields(endpoint: Endpoint) -> set[str]:
    """Fields of the response that are lists."""
    hints = get_type_hints(endpoint.response_type) if endpoint.response_type else {}
    return {name for name, kind in hints.items() if get_origin(kind) is list}


def test_every_list_names_its_field() -> None:
    for endpoint in ENDPOINTS:
        if endpoint.name in FEEDS:
            continue
        is_paged = endpoint.query is not None and "limit" in endpoint.query.__struct_fields__
        assert (endpoint.list_field is not None) == is_paged, endpoint.name
        if is_paged:
            assert {endpoint.list_field} == list_fields(endpoint), endpoint.name
        elif endpoint.method == "GET" and list_fields(endpoint):
            assert endpoint.name in ALL_AT_ONCE


@pytest.fixture
async def refs(clean: None, owner_connection: OwnerConnection, resources: Resources) -> Refs:
    """Refs of objects that have at least three of every listed kind."""
    plan = Plan(mark="listed", number=1)
    refs = (await Builder(owner_connection, resources, plan).build()).refs
    for number in range(1, NUMBER):
        await add_to_user(owner_connection, resources, refs, f"more{number}")
        await add_to_site(owner_connection, refs, f"more{number}")
        await add_to_brand(owner_connection, resources, refs, number)
    return refs


async def add_to_user(owner: OwnerConnection, resources: Resources, refs: Refs, name: str) -> None:
    await make_site(owner, resources, user_ref=refs["user"])
    await assign_package(owner, OWN_BRAND, refs["user"], 2, price=1, currency_ref=1)
    await make_account_domain(owner, OWN_BRAND, refs["user"], f"{name}.com")
    await owner.execute(
        "insert into mailboxes (brand_ref, account_domain_ref, name, password_hash, status, created_at, updated_at)"
        " values ($1, $2, $3, 'none', 'active', now(), now())",
        OWN_BRAND, refs["accountDomain"], name,
    )  # fmt: skip
    await owner.execute(
        "insert into dns_records (brand_ref, account_domain_ref, type, name, value, ttl, owner, updated_at)"
        " values ($1, $2, 'TXT', $3, 'none', 3600, 'holder', now())",
        OWN_BRAND, refs["accountDomain"], name,
    )  # fmt: skip


async def add_to_site(owner: OwnerConnection, refs: Refs, name: str) -> None:
    site_ref = refs["site"]
    await make_domain(owner, OWN_BRAND, site_ref, f"{name}.example")
    await make_page(owner, OWN_BRAND, site_ref, request=name)
    await make_widget(owner, OWN_BRAND, site_ref, refs["page"], name=name)
    await make_media(owner, OWN_BRAND, site_ref, refs["user"])
    versions = {"brand_ref": OWN_BRAND, "site_ref": site_ref, "published_at": clock.now()}
    last = await owner.fetchval("select max(version_ref) from site_versions where site_ref = $1", site_ref)
    await owner.execute(
        "insert into site_versions (brand_ref, site_ref, published_at, version_ref) values ($1, $2, $3, $4)",
        *versions.values(), last + 1,
    )  # fmt: skip
    lasting = {"created_at": clock.now(), "expires_at": clock.now() + timedelta(days=1)}
    link = {"digest": name.encode(), "author": "system"}
    await insert(owner, "preview_links", {"brand_ref": OWN_BRAND, "site_ref": site_ref, **link, **lasting})
    moved = {"from_path": name, "page_ref": refs["page"], "is_automatic": True, "created_at": clock.now()}
    await insert(owner, "site_redirects", moved | {"brand_ref": OWN_BRAND, "site_ref": site_ref})
    of_site = {"brand_ref": OWN_BRAND, "site_ref": site_ref, "name": name, "value": name}
    await insert(owner, "global_values", of_site)
    times = dict.fromkeys(("created_at", "updated_at"), await owner.fetchval("select now()"))
    await insert(owner, "static_values", of_site | times | {"static_widget_id": refs["staticWidget"]})


async def add_to_brand(owner: OwnerConnection, resources: Resources, refs: Refs, number: int) -> None:
    user_ref = await make_user(owner, resources, username=f"more{number}")
    await owner.execute(
        "insert into provisioned_accounts (brand_ref, external_id, user_ref, created_at) values ($1, $2, $3, now())",
        OWN_BRAND, f"more{number}", user_ref,
    )  # fmt: skip
    await assign_package(owner, OWN_BRAND, user_ref, 2, price=1, currency_ref=1)
    await make_reseller(owner, OWN_BRAND, refs["reseller"] + number)
    await make_template(owner, f"more{number}", brand_ref=OWN_BRAND)
    price = {"reseller_ref": refs["reseller"], "package_ref": 2, "currency_ref": 1, "price": 1}
    await insert(owner, "reseller_prices", price | {"brand_ref": OWN_BRAND, "billing_period_months": number})
    await owner.execute(
        "insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, milliseconds)"
        " values ($1, $2, $3, $4, now(), 'dead', 1)",
        OWN_BRAND, refs["subscription"], refs["attempt"], number + 1,
    )  # fmt: skip


async def pages_from(client: httpx.AsyncClient, url: str, field: str, relation: str) -> tuple[list[list[Any]], str]:
    """The pages of a list from `url` on, and the URL of the last one."""
    pages, following = [], url
    while following:
        url, response = following, await client.get(following)
        assert response.status_code == 200, response.text
        pages.append(response.json()[field])
        following = links(response).get(relation, "")
    return pages, url


async def test_every_list_that_is_too_long_for_a_response_continues_on_the_next_page(
    owner: httpx.AsyncClient, refs: Refs, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {endpoint.name: await items_of(owner, endpoint, refs) for endpoint in LISTS}
    monkeypatch.setattr(list_size_limit, "MAX_RESPONSE_BYTES", 1)
    for endpoint in LISTS:
        items, path, field = whole[endpoint.name], path_of(endpoint, refs), field_of(endpoint)
        assert len(items) >= NUMBER, f"{endpoint.name}: add to what is listed above"
        pages, last = await pages_from(owner, f"{path}&limit=1000", field, "next")
        assert pages == [[item] for item in items], endpoint.name
        assert (await pages_from(owner, last, field, "prev"))[0] == pages[::-1], endpoint.name
        if endpoint.query is None or "offset" not in endpoint.query.__struct_fields__:
            continue
        by_offset = await pages_from(owner, f"{path}&offset={len(items) - 1}", field, "prev")
        assert by_offset[0] == pages[::-1], endpoint.name


def path_of(endpoint: Endpoint, refs: Refs) -> str:
    path = re.sub(r"{(\w+):\w+}", lambda place: str(refs[KINDS[place[1]]]), endpoint.path)
    return f"{path}?brandRef={OWN_BRAND}"


def field_of(endpoint: Endpoint) -> str:
    assert endpoint.response_type is not None
    fields = msgspec.structs.fields(endpoint.response_type)
    return next(field.encode_name for field in fields if field.name == endpoint.list_field)


async def items_of(client: httpx.AsyncClient, endpoint: Endpoint, refs: Refs) -> list[Any]:
    response = await client.get(f"{path_of(endpoint, refs)}&limit=1000")
    assert response.status_code == 200, response.text
    items: list[Any] = response.json()[field_of(endpoint)]
    return items


async def test_a_list_with_vendor_names_is_limited_too(
    owner: httpx.AsyncClient, refs: Refs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A response with renamed fields is no longer a struct."""
    monkeypatch.setattr(list_size_limit, "MAX_RESPONSE_BYTES", 1)
    monkeypatch.setattr(user_routes, "with_vendor_names", lambda response, _: msgspec.to_builtins(response))
    pages, _ = await pages_from(owner, "/users?limit=1000", "accountHolders", "next")
    assert sorted(user["username"] for [user] in pages) == ["listed", "more1", "more2"]


CONTROL = "\x01"
"""Six bytes in JSON, one in the database."""
WORST_USERS = """
insert into users (brand_ref, ref, first_name, last_name, username, username_key, email, email_key, language_code,
                   phone_number, address1, address2, city, state, postcode, country, company, cpf_number,
                   created_at, updated_at)
select 1, 500000 + n, c.t, c.t, n || c.t, n || c.t, c.t, c.t, 'en', c.t, c.t, c.t, c.t, c.t, c.t, c.t, c.t, c.t,
       now(), now()
  from generate_series(1, 1000) n, (select repeat($1, 238) as t) c
"""


async def test_a_thousand_users_of_maximum_size(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute(WORST_USERS, CONTROL)
    one = len((await owner.get("/users?limit=1")).content)
    for first, relation in (("/users?limit=1000", "next"), ("/users?limit=1000&before=501001", "prev")):
        following, seen = first, list[list[int]]()
        while following:
            response = await owner.get(following)
            assert len(response.content) <= MAX_RESPONSE_BYTES + one
            seen.append([user["ref"] for user in response.json()["accountHolders"]])
            following = links(response).get(relation, "")
        in_order = seen if relation == "next" else seen[::-1]
        assert len(seen) == 3
        assert [ref for page in in_order for ref in page] == list(range(500_001, 501_001))
