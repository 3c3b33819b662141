"""The rules of described accounts, one by one."""

from typing import Any

import httpx
import msgspec
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.provisioning.accounts import service, store
from tests.provisioning.accounts.calls import (
    ACCOUNTS,
    EXTERNAL_ID,
    PASSWORD,
    account,
    converged,
    effects,
    holder,
    paths,
    put,
)
from tests.support.cast import OWN_BRAND
from tests.support.certificates import expired, make_certificate
from tests.support.packages import DOMAIN, FREE, PRO, STARTER
from tests.support.responses import problem_in
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, assign_package, make_user

SITE = {"domain": "www.joes-bakery.example"}


def errors_in(response: httpx.Response) -> set[str]:
    return set(response.json()["errors"])


async def site_of(owner: httpx.AsyncClient, site_ref: int) -> dict[str, Any]:
    found: dict[str, Any] = (await owner.get(f"/sites/{site_ref}")).json()["site"]
    return found


async def test_a_new_account_needs_the_fields_of_a_new_user(owner: httpx.AsyncClient) -> None:
    response = await put(owner, {"accountHolder": {"firstName": "Joe"}, "sites": [{"domain": "not a host"}]})
    assert problem_in(response) == (400, "invalidRequest")
    assert errors_in(response) == {
        "accountHolder.lastName", "accountHolder.username", "accountHolder.password", "accountHolder.email",
        "accountHolder.languageCode", "sites[0].domain",
    }  # fmt: skip


async def test_names_that_wait_for_certificates_share_one_entry_of_pending(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    """A described name has a place of its own; the others of the site are in `domains`, which is named once.

    A name whose uploaded certificate has expired waits like one without any.
    """
    aliases = ["joes-bakery.example", "shop.joes-bakery.example"]
    assert (await put(owner, account(sites=[SITE | {"domains": aliases}]))).status_code == 201
    await make_certificate(owner_connection, resources, OWN_BRAND, expired(aliases[0]), aliases[0])
    settings = msgspec.structs.replace(resources.settings, acme_directory="https://ca.example.com/directory")
    automatic = msgspec.structs.replace(resources, settings=settings)
    async with resources.database.transaction(OWN_BRAND) as tx:
        state = await store.find_account(tx, EXTERNAL_ID, None)
        assert state is not None
        pending = await service.find_pending(tx, automatic, state.sites, {})
        described = await service.find_pending(tx, automatic, state.sites, {aliases[1]: "sites[0].domains[1]"})
    assert [(each.path, each.code) for each in pending] == [
        ("sites[0].domain", "certificatePending"),
        ("sites[0].domains", "certificatePending"),
    ]
    assert pending[1].detail.startswith(
        "joes-bakery.example, shop.joes-bakery.example: The domain was not checked yet."
    )
    assert [each.path for each in described] == ["sites[0].domain", "sites[0].domains", "sites[0].domains[1]"]


@pytest.mark.parametrize("external_id", ["a b", "ä", "x" * 129, "a%2Fb"])
async def test_external_ids_have_a_form(owner: httpx.AsyncClient, external_id: str) -> None:
    response = await put(owner, account(), external_id)
    assert problem_in(response) == (400, "invalidExternalId")
    assert problem_in(await owner.get(f"{ACCOUNTS}/{external_id}")) == (404, "accountNotFound")
    assert problem_in(await owner.delete(f"{ACCOUNTS}/{external_id}")) == (404, "accountNotFound")


async def test_all_kinds_of_characters_of_external_ids(owner: httpx.AsyncClient) -> None:
    assert (await put(owner, account(), "A-z.0_9:" + "x" * 120)).status_code == 201


async def test_errors_of_all_parts_are_in_one_response_and_nothing_is_kept(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, username="JOE")
    other = await make_site(owner_connection, resources, user_ref=user_ref)
    await make_domain(owner_connection, OWN_BRAND, other, "taken.example")
    before = await effects(owner_connection)
    description = account(
        sites=[
            {"domain": "www.free.example", "domains": ["taken.example", "free.example"], "templateRef": 1},
            {"domain": "taken.example.org", "templateRef": 999},
        ],
    )
    for dry_run in (True, False):
        response = await put(owner, description, dry_run=dry_run)
        assert problem_in(response) == (400, "invalidRequest")
        assert errors_in(response) == {
            "accountHolder.username", "sites[0].domains[0]", "sites[1].templateRef",
        }  # fmt: skip
    assert await effects(owner_connection) == before


async def test_a_taken_username_names_the_user_to_adopt(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, username="Joe")
    response = await put(owner, account())
    assert problem_in(response) == (409, "usernameTaken")
    assert (errors_in(response), response.json()["current"]) == ({"accountHolder.username"}, {"userRef": user_ref})
    adopted = await put(owner, account(adopt={"userRef": user_ref}))
    assert adopted.status_code == 200, adopted.text
    assert adopted.json()["account"]["userRef"] == user_ref
    assert paths(adopted.json())[0] == ("adopt", "update")
    assert (await converged(owner, account(adopt={"userRef": user_ref})))["changes"] == []
    assert (await converged(owner, account()))["changes"] == []


async def test_adoption_of_users_that_cannot_be_adopted(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, username="ann")
    await converged(owner, {"adopt": {"userRef": user_ref}})
    again = await put(owner, {"adopt": {"userRef": user_ref}}, "another-id")
    assert problem_in(again) == (409, "accountClaimed")
    other_ref = await make_user(owner_connection, resources, username="bea")
    assert problem_in(await put(owner, {"adopt": {"userRef": other_ref}})) == (409, "externalIdTaken")
    unknown = await put(owner, {"adopt": {"userRef": 999_999}}, "another-id")
    assert problem_in(unknown) == (400, "invalidUserRef")
    assert errors_in(unknown) == {"adopt.userRef"}


async def test_a_package_that_is_no_subscription_is_refused(owner: httpx.AsyncClient) -> None:
    response = await put(owner, account(package={"packageRef": DOMAIN, "billingFrequency": 12}))
    assert problem_in(response) == (400, "invalidPackageRef")
    assert errors_in(response) == {"package.packageRef"}
    wrong = await put(owner, account(package={"packageRef": PRO, "billingFrequency": 5000}))
    assert errors_in(wrong) == {"package.billingFrequency"}


async def test_null_is_the_default_package(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await converged(owner, account(sites=None))
    result = await converged(owner, {"package": None})
    assert result["account"]["package"]["packageRef"] == FREE
    before = await effects(owner_connection)
    assert (await converged(owner, {"package": None}))["changes"] == []
    assert await effects(owner_connection) == before


async def test_a_package_without_a_period_keeps_the_period(owner: httpx.AsyncClient) -> None:
    await converged(owner, account(sites=[]))
    assert (await converged(owner, {"package": {"packageRef": PRO}}))["changes"] == []
    changed = await converged(owner, {"package": {"packageRef": PRO, "billingFrequency": 1}})
    assert paths(changed) == [("package", "update")]


async def test_a_trial_that_has_ended_is_not_started_again(
    other_brand: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    path = "/brands/2/accounts/trial-1"
    description = {"accountHolder": holder(), "package": {"packageRef": 7}}
    created = await other_brand.put(path, json=description)
    assert created.json()["account"]["package"]["packageRef"] == 7
    await assign_package(owner_connection, 2, created.json()["account"]["userRef"], 6)
    again = (await other_brand.put(path, json=description)).json()
    assert (again["changes"], again["account"]["package"]["packageRef"]) == ([], 6)
    assert [(each["path"], each["code"]) for each in again["pending"]] == [("package", "trialEnded")]


async def test_a_password_is_set_only_when_it_differs(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await converged(owner, account())
    stored = await owner_connection.fetchval("select password_hash from users where username = 'joe'")
    await converged(owner, {"accountHolder": {"password": PASSWORD}})
    assert await owner_connection.fetchval("select password_hash from users where username = 'joe'") == stored
    planned = await put(owner, {"accountHolder": {"password": "another password"}}, dry_run=True)
    assert planned.json()["changes"] == [
        {"path": "accountHolder.password", "action": "update", "from": None, "to": None}
    ]
    assert await owner_connection.fetchval("select password_hash from users where username = 'joe'") == stored
    assert paths(await converged(owner, {"accountHolder": {"password": "another password"}})) == [
        ("accountHolder.password", "update")
    ]
    assert await owner_connection.fetchval("select password_hash from users where username = 'joe'") != stored
    assert (await converged(owner, {"accountHolder": {"password": "another password"}}))["changes"] == []
    assert await owner_connection.fetchval("select count(*) from mails where kind = 'passwordChanged'") == 1


async def test_the_reseller_is_fixed(owner: httpx.AsyncClient) -> None:
    await converged(owner, account())
    assert (await converged(owner, {"accountHolder": {"resellerRef": None}}))["changes"] == []
    response = await put(owner, {"accountHolder": {"resellerRef": 7}})
    assert problem_in(response) == (400, "invalidResellerRef")
    assert errors_in(response) == {"accountHolder.resellerRef"}


async def test_null_clears_fields(owner: httpx.AsyncClient) -> None:
    fields = {"city": "Springfield", "phoneNumber": "1", "newsletter": 1, "cpfCompany": 1, "cpfNumber": "1"}
    await converged(owner, account(accountHolder=holder(**fields)))
    result = await converged(owner, {"accountHolder": dict.fromkeys(fields), "metadata": None})
    assert {path for path, _ in paths(result)} == {f"accountHolder.{name}" for name in fields} | {"metadata"}
    user = (await owner.get(f"/users/{result['account']['userRef']}")).json()["accountHolder"]
    assert [user[name] for name in fields] == ["", None, 0, 0, None]


async def test_sites_are_deleted_only_when_pruned(owner: httpx.AsyncClient) -> None:
    created = await converged(owner, account(sites=[SITE, {"domain": "two.example"}]))
    first, second = created["account"]["siteRefs"]
    for sites in ([], None, [SITE]):
        kept = await converged(owner, {"sites": sites})
        assert (kept["changes"], set(kept["account"]["siteRefs"])) == ([], {first, second})
    pruned = await converged(owner, {"sites": [SITE], "prune": ["sites"]})
    assert pruned["changes"] == [
        {"path": "sites", "action": "delete", "from": {"siteRef": second, "domain": "two.example"}, "to": None}
    ]
    assert pruned["account"]["siteRefs"] == [first]
    assert (await converged(owner, {"sites": [SITE], "prune": ["sites"]}))["changes"] == []
    assert problem_in(await owner.get(f"/sites/{second}")) == (404, "siteNotFound")


async def test_domains_of_a_site(owner: httpx.AsyncClient) -> None:
    [site_ref] = (await converged(owner, account()))["account"]["siteRefs"]
    moved = {"domain": "joes-bakery.example", "domains": ["BAKERY.example", "www.joes-bakery.example"]}
    result = await converged(owner, {"sites": [moved]})
    assert {path for path, _ in paths(result)} == {"sites[0].domain", "sites[0].domains"}
    site = await site_of(owner, site_ref)
    assert site["primaryDomain"]["domainName"] == "joes-bakery.example"
    assert set(site["domains"].values()) == {"joes-bakery.example", "bakery.example", "www.joes-bakery.example"}
    assert (await converged(owner, {"sites": [moved]}))["changes"] == []
    assert (await converged(owner, {"sites": [{"domain": "joes-bakery.example"}]}))["changes"] == []
    await converged(owner, {"sites": [{"domain": "joes-bakery.example", "domains": []}]})
    assert list((await site_of(owner, site_ref))["domains"].values()) == ["joes-bakery.example"]


async def test_a_name_moves_from_one_site_to_another(owner: httpx.AsyncClient) -> None:
    one, two = {"domain": "one.example"}, {"domain": "two.example"}
    await converged(owner, account(sites=[one | {"domains": ["x.example"]}, two]))
    result = await converged(owner, {"sites": [one | {"domains": []}, two | {"domains": ["x.example"]}]})
    assert paths(result) == [("sites[0].domains", "update"), ("sites[1].domains", "update")]
    split = await converged(owner, {"sites": [one, two | {"domains": []}, {"domain": "x.example"}]})
    assert paths(split) == [("sites[1].domains", "update"), ("sites[2]", "create")]


async def test_a_name_twice_in_one_description(owner: httpx.AsyncClient) -> None:
    response = await put(
        owner, account(sites=[SITE, {"domain": "two.example", "domains": ["WWW.joes-bakery.example"]}])
    )
    assert errors_in(response) == {"sites[1].domains[0]"}


async def test_template_and_business_name(owner: httpx.AsyncClient) -> None:
    [site_ref] = (await converged(owner, account(sites=[SITE | {"templateRef": None}])))["account"]["siteRefs"]
    assert (await site_of(owner, site_ref))["template"] is None
    assert (await converged(owner, {"sites": [SITE | {"templateRef": None}]}))["changes"] == []
    described = {"sites": [SITE | {"templateRef": 2, "businessName": "Bread"}]}
    assert paths(await converged(owner, described)) == [
        ("sites[0].templateRef", "update"), ("sites[0].businessName", "update"),
    ]  # fmt: skip
    assert (await converged(owner, described))["changes"] == []
    assert (await site_of(owner, site_ref))["template"] == 2
    assert paths(await converged(owner, {"sites": [SITE | {"businessName": None}]})) == [
        ("sites[0].businessName", "update")
    ]


async def test_publishing_is_limited_by_the_package(owner: httpx.AsyncClient) -> None:
    sites = [{"domain": f"www.{name}.example", "published": True} for name in ("one", "two")]
    response = await put(owner, account(package=None, sites=sites))
    assert problem_in(response) == (403, "packageLimitReached")
    assert errors_in(response) == {"sites[1].published"}
    swapped = await converged(owner, account(package=None, sites=[sites[0], sites[1] | {"published": False}]))
    assert len(swapped["account"]["siteRefs"]) == 2
    result = await converged(owner, {"sites": [sites[0] | {"published": False}, sites[1]]})
    assert paths(result) == [("sites[0].published", "update"), ("sites[1].published", "update")]


async def test_a_site_goes_offline_and_online(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    [site_ref] = (await converged(owner, account()))["account"]["siteRefs"]
    await converged(owner, {"sites": [SITE | {"published": False}]})
    assert (await site_of(owner, site_ref))["live"] is False
    await converged(owner, {"sites": [SITE | {"published": True}]})
    assert (await site_of(owner, site_ref))["live"] is True
    assert await owner_connection.fetchval("select count(*) from site_versions") == 1


async def test_an_existing_site_with_content_is_published(owner: httpx.AsyncClient) -> None:
    [site_ref] = (await converged(owner, account(sites=[SITE])))["account"]["siteRefs"]
    await owner.post(f"/sites/{site_ref}/pages", json={"pageUrl": "home", "title": "Bread", "type": "page"})
    described = {"sites": [SITE | {"published": True, "businessName": "Joe's", "templateRef": 2}]}
    planned = await put(owner, described, dry_run=True)
    assert planned.status_code == 200, planned.text
    assert (await site_of(owner, site_ref))["live"] is False
    assert planned.json()["changes"] == (await converged(owner, described))["changes"]
    versions = (await owner.get(f"/sites/{site_ref}/versions")).json()["versions"]
    assert [each["pages"] for each in versions] == [1]


async def test_plans_with_if_match(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    assert problem_in(await put(owner, account(), if_match="*")) == (412, "accountChanged")
    created = await put(owner, account(), if_match='"absent"')
    assert created.status_code == 201
    assert problem_in(await put(owner, account(), if_match='"absent"')) == (412, "accountChanged")
    etag = created.headers["etag"]
    planned = await put(owner, {"suspended": True}, dry_run=True, if_match=etag)
    assert planned.headers["etag"] == etag
    user_ref = created.json()["account"]["userRef"]
    await owner.put(f"/users/{user_ref}", json={"city": "Springfield"})
    before = await effects(owner_connection)
    assert problem_in(await put(owner, {"suspended": True}, if_match=etag)) == (412, "accountChanged")
    assert problem_in(
        await owner.delete(f"{ACCOUNTS}/{EXTERNAL_ID}", headers={"If-Match": etag})
    ) == (412, "accountChanged")  # fmt: skip
    assert await effects(owner_connection) == before
    now = (await owner.get(f"{ACCOUNTS}/{EXTERNAL_ID}")).headers["etag"]
    applied = await put(owner, {"suspended": True}, if_match=f'"other", W/{now}')
    assert applied.status_code == 200
    assert applied.headers["etag"] not in (etag, now)
    last = {"If-Match": applied.headers["etag"]}
    assert (await owner.delete(f"{ACCOUNTS}/{EXTERNAL_ID}", headers=last)).status_code == 204


async def test_deleted_accounts(owner: httpx.AsyncClient) -> None:
    await converged(owner, account())
    assert (await owner.delete(f"{ACCOUNTS}/{EXTERNAL_ID}")).status_code == 204
    assert problem_in(await owner.delete(f"{ACCOUNTS}/{EXTERNAL_ID}")) == (404, "accountNotFound")
    shown = await owner.get(f"{ACCOUNTS}/{EXTERNAL_ID}", params={"showDeleted": 1})
    assert shown.json()["account"]["deleted"] is True
    assert (await owner.get(ACCOUNTS)).json() == {"accounts": []}
    assert len((await owner.get(ACCOUNTS, params={"showDeleted": 1})).json()["accounts"]) == 1


async def test_a_deleted_account_whose_username_is_taken(owner: httpx.AsyncClient) -> None:
    await converged(owner, account())
    await owner.delete(f"{ACCOUNTS}/{EXTERNAL_ID}")
    await converged(owner, account(sites=[]), "another-id")
    response = await put(owner, {"suspended": True})
    assert problem_in(response) == (409, "usernameTaken")
    assert errors_in(response) == {"accountHolder.username"}
    assert response.json()["current"]["externalId"] == "another-id"
    assert "adopt" not in response.text


async def test_an_anonymized_user_gives_its_external_id_up(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    user_ref = (await converged(owner, account()))["account"]["userRef"]
    await owner.post(f"/users/{user_ref}/anonymise")
    assert await owner_connection.fetchval("select count(*) from provisioned_accounts") == 0
    assert problem_in(await owner.get(f"{ACCOUNTS}/{EXTERNAL_ID}")) == (404, "accountNotFound")
    new = await put(owner, account(sites=[]))
    assert new.status_code == 201
    refused = await put(owner, {"adopt": {"userRef": user_ref}}, "another-id")
    assert problem_in(refused) == (400, "invalidUserRef")


async def test_the_list_is_paged(owner: httpx.AsyncClient) -> None:
    for number in range(3):
        await converged(owner, {"accountHolder": holder(username=f"joe{number}")}, f"id-{number}")
    first = await owner.get(ACCOUNTS, params={"limit": 2})
    assert [each["externalId"] for each in first.json()["accounts"]] == ["id-0", "id-1"]
    rest = await owner.get(first.links["next"]["url"])
    assert [each["externalId"] for each in rest.json()["accounts"]] == ["id-2"]
    assert (await owner.get(ACCOUNTS, params={"externalId": "id-1"})).json()["accounts"][0]["package"] == {
        "packageRef": FREE, "billingFrequency": 1,
    }  # fmt: skip


async def test_a_downgrade_that_takes_a_site_offline_is_refused_where_it_shall_stay_online(
    owner: httpx.AsyncClient,
) -> None:
    sites = [{"domain": f"www.{name}.example", "published": True} for name in ("one", "two")]
    await converged(owner, account(sites=sites))
    assert problem_in(await put(owner, {"package": None, "sites": sites})) == (403, "packageLimitReached")
    assert (await converged(owner, account(sites=sites)))["changes"] == []


async def test_forms_and_empty_bodies(owner: httpx.AsyncClient) -> None:
    await converged(owner, account())
    assert (await owner.put(f"{ACCOUNTS}/{EXTERNAL_ID}")).json()["changes"] == []
    form = await owner.put(f"{ACCOUNTS}/{EXTERNAL_ID}", data={"suspended": "true", "accountHolder[city]": "Oslo"})
    assert paths(form.json()) == [("accountHolder.city", "update"), ("suspended", "update")]


async def test_due_packages_do_not_disturb(owner: httpx.AsyncClient) -> None:
    await converged(owner, account(package={"packageRef": STARTER, "billingFrequency": 1}, sites=[]))
    clock.shift(40 * 24 * 3600)
    assert (await converged(owner, {"package": {"packageRef": STARTER, "billingFrequency": 1}}))["changes"] == []
