"""Sites in the console: the list with its filters, the page of a site, roll back and publish."""

import csv
import io
import itertools
import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.sites.operating.service import SiteRow, state_of
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.customers import make_customer
from tests.support.operators import send
from tests.support.sites import make_domain, make_media, make_site
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

SITES = "/console/sites"
PRO = 3


def refs(response: httpx.Response) -> list[int]:
    assert response.status_code == 200, response.text
    return [int(row["ref"]) for row in csv.DictReader(io.StringIO(response.text))]


async def publish_twice(client: httpx.AsyncClient, domain: str = "bakery.example") -> tuple[int, int]:
    """The refs of a site with two versions, and of its owner."""
    customer = await make_customer(client, OWN_BRAND, domain)
    await customer.add_page("home", "Home")
    await customer.publish()
    await customer.publish()
    return customer.site["ref"], customer.user_ref


async def current_version(owner: OwnerConnection, site_ref: int) -> int | None:
    version: int | None = await owner.fetchval("select version_ref from sites where ref = $1", site_ref)
    return version


async def test_filters_by_every_state_as_the_rows_show_it(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    """All combinations of what decides whether visitors see a site: the filter and the shown state agree."""
    now, owners = clock.now(), {}
    for suspended, deleted in itertools.product((False, True), repeat=2):
        owners[suspended, deleted] = await make_user(
            owner_connection,
            resources,
            username=f"u{suspended}{deleted}",
            suspended_at=now if suspended else None,
            deleted_at=now if deleted else None,
        )
    expected: dict[str, list[int]] = {}
    for published, live, enabled, suspended, gone, deleted in itertools.product((False, True), repeat=6):
        ref = await make_site(
            owner_connection,
            resources,
            user_ref=owners[suspended, gone],
            live=live,
            enabled=enabled,
            version_ref=1 if published else None,
            deleted_at=now if deleted else None,
        )
        row = SiteRow(
            ref, 1, "", "", None, "http", None, None, now, now if deleted else None, 1 if published else None,
            live, enabled, suspended, gone,
        )  # fmt: skip
        expected.setdefault(state_of(row), []).append(ref)
    assert len(expected) == 7
    for state, found in expected.items():
        assert refs(await admin.get(f"{SITES}.csv?state={state}&sort=ref")) == found, state
    offline = sorted(ref for state, found in expected.items() if state not in ("published", "deleted") for ref in found)
    assert refs(await admin.get(f"{SITES}.csv?state=offline&sort=ref")) == offline
    assert len(refs(await admin.get(f"{SITES}.csv"))) == 64


async def test_finds_sites_by_the_beginning_of_an_address_by_number_and_by_customer(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources)
    first, second = [await make_site(owner_connection, resources, user_ref=user_ref) for _ in range(2)]
    other = await make_site(owner_connection, resources, OTHER_BRAND)
    await make_domain(owner_connection, OWN_BRAND, first, "shop.bakery.example")
    await make_domain(owner_connection, OWN_BRAND, first, "xn--bcher-kva.example")
    await make_domain(owner_connection, OWN_BRAND, second, "www.shop.example")
    await make_domain(owner_connection, OTHER_BRAND, other, "shop.rival.example")
    assert refs(await admin.get(f"{SITES}.csv?search=SHOP.")) == [first]
    assert refs(await admin.get(f"{SITES}.csv?search=bücher.")) == [first]
    assert refs(await admin.get(f"{SITES}.csv?search=%25")) == []
    assert refs(await admin.get(f"{SITES}.csv?search={second}")) == [second]
    assert refs(await admin.get(f"{SITES}.csv?search={other}")) == []
    assert refs(await admin.get(f"{SITES}.csv?user={user_ref}")) == [second, first]
    assert refs(await admin.get(f"{SITES}.csv?user=999999")) == []
    page = await admin.get(f"{SITES}?user={user_ref}")
    assert f'href="{SITES}/{first}"' in page.text
    assert f'href="/console/customers/{user_ref}"' in page.text
    assert_loads_nothing_else(page)


async def test_shows_everything_about_a_site(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref, user_ref = await publish_twice(owner)
    await make_certificate(owner_connection, resources, OWN_BRAND, certificate_for("bakery.example"), "bakery.example")
    await make_domain(owner_connection, OWN_BRAND, ref, "other.example")
    await make_media(owner_connection, OWN_BRAND, ref, user_ref, bytes=2_500_000)
    page = await admin.get(f"{SITES}/{ref}")
    text = page_text(page)
    assert page.status_code == 200
    assert_loads_nothing_else(page)
    for shown in (
        "Visitors see the site.", "2.5 MB", "Ann Example", "bakery.example", "Encrypted until", "other.example",
        "Visitors see it", "a program, by the API",
    ):  # fmt: skip
        assert shown in text, shown
    assert 'href="http://bakery.example/"' in page.text
    assert f'href="/console/customers/{user_ref}"' in page.text
    assert f'href="/console/audit?subject=site&amp;ref={ref}"' in page.text
    assert f'href="{SITES}/{ref}/versions/1/restore"' in page.text
    assert f'href="{SITES}/{ref}/versions/2/restore"' not in page.text


async def test_shows_the_visits_where_the_package_counts_them(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, package_ref=PRO)
    counted = await make_site(owner_connection, resources, user_ref=user_ref)
    today = clock.now().date()
    for days in (0, 3, 45):
        await owner_connection.execute(
            "insert into site_visits (brand_ref, site_ref, day, kind, name, visits, views)"
            " values (1, $1, $2, 'page', '', 7, 9)",
            counted,
            today - timedelta(days=days),
        )
    page = await admin.get(f"{SITES}/{counted}")
    assert "14 visits" in page_text(page)
    assert '<svg viewBox="0 0 640 160" role="img"' in page.text


@pytest.mark.parametrize(
    ("columns", "holder", "why"),
    [
        ({}, {}, "never published"),
        ({"version_ref": 1}, {}, "taken offline"),
        ({"version_ref": 1, "live": True, "enabled": False}, {}, "disabled the site"),
        ({"version_ref": 1, "live": True}, {"suspended_at": clock.now()}, "the customer is suspended"),
        ({"version_ref": 1, "live": True}, {"deleted_at": clock.now()}, "the customer is deleted"),
        ({"version_ref": 1}, {"deleted_at": clock.now()}, "the customer is deleted"),
        ({"deleted_at": clock.now()}, {}, "The site is deleted."),
    ],
)
async def test_says_why_a_site_is_offline(
    admin: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    columns: dict[str, Any],
    holder: dict[str, Any],
    why: str,
) -> None:
    user_ref = await make_user(owner_connection, resources, **holder)
    ref = await make_site(owner_connection, resources, user_ref=user_ref, **columns)
    page = await admin.get(f"{SITES}/{ref}")
    assert page.status_code == 200
    assert why in page_text(page)


async def test_support_puts_a_version_back_online(
    owner: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection
) -> None:
    ref, _ = await publish_twice(owner)
    support = await log_in("support")
    asked = await support.get(f"{SITES}/{ref}/versions/1/restore")
    assert "Put version 1 of bakery.example back online?" in page_text(asked)
    assert f"exactly what was published on {clock.now():%B}" in page_text(asked)
    assert await current_version(owner_connection, ref) == 2, "the question changes nothing"
    done = await send(support, f"{SITES}/{ref}/versions/1/restore")
    assert done.headers["location"] == f"{SITES}/{ref}?done=restored"
    assert await current_version(owner_connection, ref) == 1
    assert "Visitors see this version again." in page_text(await support.get(done.headers["location"]))
    entry = await owner_connection.fetchrow("select * from audit_entries where action = 'roll back'")
    assert entry is not None
    assert re.fullmatch(r"operator:\d+", entry["actor"])
    assert (entry["subject"], entry["subject_ref"]) == ("site", ref)
    assert entry["request_id"] is not None


async def test_publishes_what_is_edited(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref, _ = await publish_twice(owner)
    assert "Publish bakery.example now?" in page_text(await admin.get(f"{SITES}/{ref}/publish"))
    done = await send(admin, f"{SITES}/{ref}/publish")
    assert done.headers["location"] == f"{SITES}/{ref}?done=published"
    assert await current_version(owner_connection, ref) == 3
    assert "brand-admin (staff)" in page_text(await admin.get(done.headers["location"]))
    await owner_connection.execute("update sites set enabled = false where ref = $1", ref)
    refused = await send(admin, f"{SITES}/{ref}/publish")
    assert refused.status_code == 409
    assert "The site is disabled and cannot be published." in page_text(refused)
    assert await current_version(owner_connection, ref) == 3


async def test_a_limit_of_the_package_is_explained_with_its_numbers(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref, _ = await publish_twice(owner)
    limit = "update packages set capabilities = capabilities || $1::jsonb"
    await owner_connection.execute(limit, '{"pagesLimited": 0, "restrictPagesOnPublish": 1}')
    refused = await send(admin, f"{SITES}/{ref}/publish")
    assert refused.status_code == 403
    assert "package allows 0 pages, and this site has 1." in page_text(refused)
    assert 'role="alert"' in refused.text
    await owner_connection.execute(limit, '{"liveSites": 0, "restrictPagesOnPublish": 0}')
    await owner_connection.execute("update sites set live = false")
    refused = await send(admin, f"{SITES}/{ref}/publish")
    assert "package allows 0 live sites, and 0 are in use." in page_text(refused)
    assert await current_version(owner_connection, ref) == 2


async def test_disables_and_enables(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, log_in: LogIn
) -> None:
    ref, _ = await publish_twice(owner)
    path, enabled = f"{SITES}/{ref}", "select enabled from sites where ref = $1"
    assert "Disable bakery.example?" in page_text(await admin.get(f"{path}/disable"))
    done = await send(admin, f"{path}/disable")
    assert done.headers["location"] == f"{path}?done=disabled"
    assert await owner_connection.fetchval(enabled, ref) is False
    shown = await admin.get(path)
    assert "the brand has disabled the site" in page_text(shown)
    assert f'action="{path}/enable"' in shown.text
    assert f"{path}/publish" not in shown.text
    await owner_connection.execute("update sites set live = false where ref = $1", ref)
    both = page_text(await admin.get(path))
    assert "was taken offline" in both
    assert "The brand has also disabled the site." in both
    support = await log_in("support")
    assert f"{path}/enable" not in (await support.get(path)).text
    for action in ("enable", "disable"):
        assert (await send(support, f"{path}/{action}")).status_code == 403
    for _ in range(2):
        done = await send(admin, f"{path}/enable")
        assert done.headers["location"] == f"{path}?done=enabled"
    assert await owner_connection.fetchval(enabled, ref) is True
    edits = "select details from audit_entries where subject = 'site' and action = 'edit' and subject_ref = $1"
    assert len(await owner_connection.fetch(edits, ref)) == 2


async def test_forms_need_the_right_and_the_token(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection
) -> None:
    ref, _ = await publish_twice(owner)
    viewer, support = await log_in("viewer"), await log_in("support")
    restore, publish = f"{SITES}/{ref}/versions/1/restore", f"{SITES}/{ref}/publish"
    for path in (restore, publish):
        assert (await send(viewer, path)).status_code == 403
        assert (await viewer.get(path)).status_code == 403
        assert (await admin.post(path, data={"token": "x"})).status_code == 403
    assert (await send(support, publish)).status_code == 403
    shown = await viewer.get(f"{SITES}/{ref}")
    assert shown.status_code == 200
    assert restore not in shown.text
    assert publish not in shown.text
    assert await current_version(owner_connection, ref) == 2


async def test_a_site_of_another_brand_does_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    theirs = await make_site(owner_connection, resources, OTHER_BRAND, version_ref=1)
    for ref in (theirs, 999_999_999):
        for path in ("", "/publish", "/versions/1/restore"):
            assert (await admin.get(f"{SITES}/{ref}{path}")).status_code == 404
        for path in ("/publish", "/versions/1/restore"):
            assert (await send(admin, f"{SITES}/{ref}{path}")).status_code == 404
    assert (await admin.get(f"{SITES}/x")).status_code == 404


async def test_a_deleted_site_is_only_shown(admin: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    ref, _ = await publish_twice(owner)
    assert (await owner.delete(f"/sites/{ref}")).status_code == 204
    page = await admin.get(f"{SITES}/{ref}")
    assert page.status_code == 200
    assert "No address is mapped to it." in page_text(page)
    assert "/restore" not in page.text
    assert (await send(admin, f"{SITES}/{ref}/versions/1/restore")).status_code == 404
    assert (await send(admin, f"{SITES}/{ref}/publish")).status_code == 404


async def test_a_site_of_a_deleted_customer_is_only_shown(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, deleted_at=clock.now())
    path = f"{SITES}/{await make_site(owner_connection, resources, user_ref=user_ref, version_ref=1, live=True)}"
    page = await admin.get(path)
    assert page.status_code == 200
    for action in ("publish", "restore", "disable"):
        assert f"/{action}" not in page.text


async def test_in_other_languages(admin: httpx.AsyncClient, owner: httpx.AsyncClient) -> None:
    ref, _ = await publish_twice(owner)
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in (SITES, f"{SITES}/{ref}", f"{SITES}/{ref}/publish", f"{SITES}/{ref}/versions/1/restore"):
            page = await admin.get(path)
            assert page.status_code == 200
            assert f'<html lang="{language}">' in page.text
