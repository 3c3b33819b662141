"""Lifecycle hooks: ended packages and deleted account holders take sites offline."""

import httpx

from sitewright.accounts.account_packages.hooks import LiveSiteLimit
from sitewright.accounts.account_packages.sweep import service as due_packages
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.sites import service as sites
from tests.sites.sites.shapes import edit_site, get_site, live_refs, mark_published
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, make_user


async def live_sites(owner: OwnerConnection, resources: Resources, user_ref: int, number: int) -> list[int]:
    """In the order they were published."""
    refs = [await make_site(owner, resources, user_ref=user_ref) for _ in range(number)]
    await mark_published(owner, *refs[::-1], live=True)
    return refs[::-1]


async def assign(client: httpx.AsyncClient, user_ref: int, package_ref: int) -> None:
    response = await client.post(f"/users/{user_ref}/account-packages", json={"packageRef": package_ref})
    assert response.status_code == 200, response.text


async def test_a_cancellation_takes_every_site_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources)
    await assign(owner, user_ref, 3)
    refs = await live_sites(owner_connection, resources, user_ref, 3)
    await assign(owner, user_ref, 1)
    assert await live_refs(owner_connection) == []
    await edit_site(owner, refs[0], live=1)
    assert problem_in(await owner.put(f"/sites/{refs[1]}", json={"live": 1})) == (403, "packageLimitReached")


async def test_a_downgrade_takes_the_last_published_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources)
    other = await make_user(owner_connection, resources, username="other")
    await assign(owner, user_ref, 3)
    first, *_ = await live_sites(owner_connection, resources, user_ref, 4)
    others = await live_sites(owner_connection, resources, other, 2)
    await assign(owner, user_ref, 2)
    assert await live_refs(owner_connection) == sorted([first, *others])


async def test_the_end_of_a_trial_takes_sites_offline(
    other_brand: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, 2)
    await assign(other_brand, user_ref, 7)
    ref = await make_site(owner_connection, resources, 2, user_ref=user_ref)
    await mark_published(owner_connection, ref, live=True)
    clock.shift(15 * 24 * 3600)
    await due_packages.do_due_changes(resources)
    assert (await get_site(other_brand, ref))["live"] is False
    assert problem_in(await other_brand.put(f"/sites/{ref}", json={"live": 1})) == (403, "packageLimitReached")
    await assign(other_brand, user_ref, 8)
    await edit_site(other_brand, ref, live=1)


async def test_an_upgrade_leaves_sites_as_they_are(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources)
    await assign(owner, user_ref, 2)
    refs = await live_sites(owner_connection, resources, user_ref, 1)
    await assign(owner, user_ref, 3)
    assert await live_refs(owner_connection) == refs


async def test_sites_of_a_deleted_account_holder_stay_offline_when_it_comes_back(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    refs = await live_sites(owner_connection, resources, user_ref, 2)
    await owner.delete(f"/users/{user_ref}")
    assert await live_refs(owner_connection) == []
    await owner.put(f"/users/{user_ref}", json={"deleted": 0})
    assert await live_refs(owner_connection) == []
    await edit_site(owner, refs[0], live=1)


async def test_a_suspension_changes_no_site(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    refs = await live_sites(owner_connection, resources, user_ref, 2)
    await owner.post(f"/users/{user_ref}/suspend")
    assert await live_refs(owner_connection) == sorted(refs)


async def test_each_site_that_goes_offline_is_audited(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    refs = await live_sites(owner_connection, resources, user_ref, 2)
    await owner.delete(f"/users/{user_ref}")
    rows = await owner_connection.fetch("select subject_ref from audit_entries where action = 'take offline'")
    assert sorted(row["subject_ref"] for row in rows) == sorted(refs)


async def test_thousands_go_offline_at_once(
    owner_connection: OwnerConnection, resources: Resources, user_ref: int
) -> None:
    await owner_connection.execute(
        "with u as (insert into users (brand_ref, first_name, last_name, username, username_key, email, email_key,"
        "           language_code, created_at, updated_at)"
        "           select 1, '', '', n, n, n, n, 'en', now(), now() from generate_series(1, 3000) n returning ref)"
        " insert into profiles (brand_ref, user_ref, updated_at) select 1, ref, now() from u"
    )
    await owner_connection.execute(
        "insert into sites (brand_ref, user_ref, profile_ref, site_type, live, last_publish_at, created_at, updated_at)"
        " select 1, user_ref, ref, 'responsive', true, now() + n * interval '1 s', now(), now()"
        "   from profiles, generate_series(1, 3) n"
    )
    users = [row["ref"] for row in await owner_connection.fetch("select ref from users where ref <> $1", user_ref)]
    changes = [LiveSiteLimit(ref, number % 3) for number, ref in enumerate(users)]
    async with resources.database.transaction(OWN_BRAND) as tx:
        await sites.take_offline(tx, changes)
    rows = await owner_connection.fetch("select user_ref, count(*) filter (where live) from sites group by 1")
    assert {row[0]: row[1] for row in rows} == {each.user_ref: each.live_sites for each in changes}
