"""PUT /sites/:siteRef; going live is in `test_live`."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.catalogue.packages.shapes import assert_shape
from tests.sites.sites.shapes import EDITED, all_rows, create_site, edit_site, get_site, map_domain, ref_of_new_site
from tests.sites.sites.test_create import OTHER_BRANDS_TEMPLATE
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_template


async def test_the_response_has_the_specified_fields(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    site = await edit_site(owner, ref, protocol="https")
    assert_shape(site, EDITED)
    shown = await get_site(owner, ref)
    assert {name: shown[name] for name in site} == site


async def test_omitted_fields_keep_their_values(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example", activationStatus="inactive", templateRef=2)
    before = await get_site(owner, ref)
    for response in (await owner.put(f"/sites/{ref}"), await owner.put(f"/sites/{ref}", json={"unknown": 1})):
        assert response.status_code == 200
    assert await get_site(owner, ref) == before


CHANGES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"protocol": "https"}, {"primaryUrl": "https://a.example"}),
    ({"templateRef": 3}, {"template": 3}),
    ({"templateRef": "3"}, {"template": 3}),
    ({"activationStatus": "active"}, {"activationStatus": "active"}),
    ({"activationStatus": "inactive"}, {"activationStatus": "inactive"}),
    ({"activationStatus": None}, {"activationStatus": None}),
    ({"alwaysRedirectToPrimaryDomain": 1}, {"redirectToPrimary": True}),
    ({"alwaysRedirectToPrimaryDomain": "0"}, {"redirectToPrimary": False}),
    ({"enabled": 0}, {"enabled": False}),
    ({"enabled": True}, {"enabled": True}),
    ({"live": 0}, {"live": False}),
]


@pytest.mark.parametrize(("changes", "shown"), CHANGES)
async def test_each_change_is_stored(
    owner: httpx.AsyncClient, user_ref: int, changes: dict[str, Any], shown: dict[str, Any]
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    before = await get_site(owner, ref)
    await edit_site(owner, ref, **changes)
    assert await get_site(owner, ref) == before | shown


async def test_another_domain_of_the_site_becomes_primary(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    domain_ref = await map_domain(owner, ref, "b.example")
    site = await edit_site(owner, ref, primaryUrlRef=domain_ref)
    assert site["primaryDomain"] == {"ref": domain_ref, "domainName": "b.example"}
    assert site["primaryUrl"] == "http://b.example"


async def test_an_own_template_is_only_for_own_sites(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int
) -> None:
    somebody = await make_user(owner_connection, resources, username="somebody")
    template_ref = await make_template(owner_connection, "own", brand_ref=OWN_BRAND, account_holder_ref=somebody)
    for holder, status in ((somebody, 200), (user_ref, 400)):
        ref = await ref_of_new_site(owner, holder, f"a-{holder}.example")
        response = await owner.put(f"/sites/{ref}", json={"templateRef": template_ref})
        assert response.status_code == status, response.text
        new = {"accountHolderRef": holder, "brandRef": OWN_BRAND, "domain": f"b-{holder}.example"}
        response = await owner.post("/sites", json=new | {"templateRef": template_ref})
        assert (response.status_code == 201) is (status == 200), response.text


WRONG: list[tuple[str, Any]] = [
    ("primaryUrlRef", 999_999), ("primaryUrlRef", 0), ("primaryUrlRef", None), ("primaryUrlRef", "x"), ("live", 2),
    ("live", "yes"), ("live", None), ("templateRef", 999_999), ("templateRef", 4), ("templateRef", None),
    ("activationStatus", 1), ("activationStatus", "Active"), ("protocol", "ftp"), ("protocol", "HTTPS"),
    ("protocol", None), ("alwaysRedirectToPrimaryDomain", 2), ("enabled", "off"), ("enabled", 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
async def test_invalid_requests_change_nothing(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int, name: str, value: Any
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner_connection.execute(OTHER_BRANDS_TEMPLATE)
    before = await all_rows(owner_connection)
    response = await owner.put(f"/sites/{ref}", json={"activationStatus": "active", "enabled": 0, name: value})
    assert problem_in(response) == (400, f"invalid{name[0].upper()}{name[1:]}")
    assert await all_rows(owner_connection) == before


async def test_every_failing_field_is_named_at_once(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    wrong = {"primaryUrlRef": 999_999, "templateRef": 999_999, "protocol": "x", "live": 7}
    response = await owner.put(f"/sites/{ref}", json=wrong)
    assert problem_in(response) == (400, "invalidRequest")
    assert set(response.json()["errors"]) == set(wrong)


async def test_other_sites_domains_cannot_be_primary(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    other = (await create_site(owner, user_ref, "b.example"))["primaryDomain"]["ref"]
    foreign_site = await make_site(owner_connection, resources, 2)
    foreign = await make_domain(owner_connection, 2, foreign_site, "c.example")
    for domain_ref in (other, foreign):
        response = await owner.put(f"/sites/{ref}", json={"primaryUrlRef": domain_ref})
        assert problem_in(response) == (400, "invalidPrimaryUrlRef")


async def test_a_deleted_site_is_not_edited(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner.delete(f"/sites/{ref}")
    assert problem_in(await owner.put(f"/sites/{ref}", json={"enabled": "x"})) == (404, "siteNotFound")


async def test_it_is_audited_without_values(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await edit_site(owner, ref, protocol="https", enabled=0)
    row = await owner_connection.fetchrow("select * from audit_entries where action = 'edit'")
    assert row is not None
    assert (row["subject"], row["subject_ref"]) == ("site", ref)
    assert row["details"] == '{"fields": ["enabled", "protocol"]}'
