"""Resellers of one brand are isolated; `tests/isolation` verifies that another's refs look like unknown ones."""

from typing import Any

import httpx
import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit.auth.caller import Role
from tests.accounts.resellers.conftest import ClientFor
from tests.accounts.resellers.shapes import create_reseller_with_credentials
from tests.accounts.users.shapes import ref_of_new_user
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.customers import new_user
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

Refs = dict[str, int]


@pytest.fixture
async def refs(reseller: httpx.AsyncClient) -> Refs:
    """Everything that a reseller's user may have, by the names that paths give to refs."""

    async def post(path: str, body: dict[str, Any] | None = None) -> Any:
        response = await reseller.post(path, json=body)
        assert response.is_success, response.text
        return next(iter(response.json().values()))

    user_ref = await ref_of_new_user(reseller)
    site = await post("/sites", {"accountHolderRef": user_ref, "brandRef": OWN_BRAND, "domain": "bea.example"})
    of_site, of_user = f"/sites/{site['ref']}", f"/users/{user_ref}"
    page = await post(f"{of_site}/pages", {"pageUrl": "home", "title": "Home", "type": "page", "status": "active"})
    widget = {"name": "text", "type": "content", "pageRef": page["ref"], "parentId": "page-zones__main"}
    widget_ref = (await post(f"{of_site}/widgets", widget))["ref"]
    await post(f"{of_site}/global-values", {"name": "headscript", "value": "<!-- -->"})
    await reseller.put(f"{of_site}/static-values/headscript", json={"name": "visible", "value": "1"})
    await post(f"{of_site}/publish")
    domain = await post(f"{of_user}/account-domains", {"domainName": "bea.com", "packageRef": 4})
    packages = (await reseller.get(f"{of_user}/account-packages")).json()["accountPackages"]
    return {
        "user_ref": user_ref,
        "site_ref": site["ref"],
        "page_ref": page["ref"],
        "widget_ref": widget_ref,
        "domain_ref": site["domains"][0]["ref"],
        "profile_ref": site["profileRef"],
        "account_package_ref": packages[0]["ref"],
        "account_domain_ref": domain["ref"],
    }


async def test_lists_contain_only_ones_own(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, client_for: ClientFor, refs: Refs
) -> None:
    _, credentials = await create_reseller_with_credentials(owner)
    other_reseller = client_for(credentials)
    assert (await other_reseller.get("/users")).json() == {"count": "0", "accountHolders": []}
    for query in ({}, {"domain": "bea"}, {"deleted": 1}):
        assert (await other_reseller.get("/sites", params={"brandRef": OWN_BRAND, **query})).json() == {"sites": []}
    assert (await reseller.get("/users")).json()["count"] == "1"
    assert len((await reseller.get("/sites", params={"brandRef": OWN_BRAND})).json()["sites"]) == 1


async def test_anothers_refs_are_rejected_in_body_and_query(
    owner: httpx.AsyncClient, client_for: ClientFor, refs: Refs
) -> None:
    _, credentials = await create_reseller_with_credentials(owner)
    other_reseller = client_for(credentials)
    site = {"accountHolderRef": refs["user_ref"], "brandRef": OWN_BRAND, "domain": "taken.example"}
    assert problem_in(await other_reseller.post("/sites", json=site)) == (400, "invalidAccountHolderRef")
    filters = {"resellerRef": RESELLER_REF}
    assert problem_in(await other_reseller.get("/users", params=filters)) == (400, "invalidResellerRef")
    assert problem_in(await other_reseller.post("/users", json=new_user(username="x", **filters))) == (
        400,
        "invalidResellerRef",
    )


async def test_a_user_it_creates_belongs_to_it_named_or_not(owner: httpx.AsyncClient, client_for: ClientFor) -> None:
    ref, credentials = await create_reseller_with_credentials(owner)
    client = client_for(credentials)
    users = [
        await ref_of_new_user(client, username="bea"),
        await ref_of_new_user(client, username="cid", resellerRef=ref),
    ]
    listed = (await owner.get("/users", params={"resellerRef": ref})).json()["accountHolders"]
    assert [user["ref"] for user in listed] == users


async def test_anothers_private_templates_are_not_listed(
    owner: httpx.AsyncClient, reseller: httpx.AsyncClient, client_for: ClientFor, refs: Refs,
    owner_connection: OwnerConnection,
) -> None:  # fmt: skip
    _, credentials = await create_reseller_with_credentials(owner)
    await owner_connection.execute(
        "update templates set brand_ref = $1, account_holder_ref = $2 where ref = 1", OWN_BRAND, refs["user_ref"]
    )
    for client, expected in ((owner, True), (reseller, True), (client_for(credentials), False)):
        templates = (await client.get("/v2/templates")).json()["templates"]
        assert (1 in {template["ref"] for template in templates}) is expected


@pytest.mark.parametrize("path", ["/resellers/", "/webhooks/", "/user-reports", "/ssl-certs/"])
def test_some_endpoints_are_never_for_resellers(path: str) -> None:
    there = [endpoint for endpoint in ENDPOINTS if endpoint.path.startswith(path)]
    assert there
    assert [endpoint.name for endpoint in there if Role.RESELLER in endpoint.roles] == []
