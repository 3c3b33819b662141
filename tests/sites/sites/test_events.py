"""Events about sites and their domains, and what is left of them when a site is erased."""

import httpx

from tests.sites.sites.shapes import edit_site, map_domain, mark_published, ref_of_new_site
from tests.support.emitted import emitted, emitted_names
from tests.support.packages import FREE, assign
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection


async def test_a_new_site_and_its_domains(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "first.example")
    [first] = await owner_connection.fetchrow("select ref from site_domains") or []
    second = await map_domain(owner, ref, "second.example")
    assert (await owner.delete(f"/sites/{ref}/domains/{second}")).status_code == 204
    holder = {"accountHolder": {"ref": user_ref}}
    named = {"site": {"ref": ref, "domains": {str(first): "first.example"}}}
    other = {"site": {"ref": ref, "domains": {str(second): "second.example"}}}
    assert await emitted(owner_connection) == [
        ("site.created", named | holder),
        ("domain.mapped", named | holder | {"domainRef": first}),
        ("domain.mapped", other | holder | {"domainRef": second}),
        ("domain.unmapped", other | holder | {"domainRef": second}),
    ]


async def test_an_edit_names_what_changed_and_when_the_site_goes_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "first.example")
    await mark_published(owner_connection, ref)
    before = len(await emitted(owner_connection))
    for live in (1, 1, 0, 0):
        await edit_site(owner, ref, live=live, enabled=1, protocol="http")
    await edit_site(owner, ref, redirectToPrimary=1)
    about = {"site": {"ref": ref}, "accountHolder": {"ref": user_ref}}
    assert (await emitted(owner_connection))[before:] == [
        ("site.updated", about | {"fields": ["live"]}),
        ("site.updated", about | {"fields": ["live"]}),
        ("site.offline", about | {"reason": "notLive"}),
        ("site.updated", about | {"fields": ["redirectToPrimary"]}),
    ]
    await edit_site(owner, ref, live=1)
    await edit_site(owner, ref, enabled=0)
    assert (await emitted(owner_connection))[-1] == ("site.offline", about | {"reason": "siteDisabled"})


async def test_a_smaller_package_takes_sites_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"site{number}.example") for number in range(3)]
    await mark_published(owner_connection, *refs, live=True)
    await edit_site(owner, refs[0], enabled=0)
    before = len(await emitted(owner_connection))
    assert (await assign(owner, user_ref, FREE)).status_code == 200
    offline = [body for name, body in (await emitted(owner_connection))[before:] if name == "site.offline"]
    live = await owner_connection.fetch("select ref from sites where live")
    gone = set(refs[1:]) - {row["ref"] for row in live}
    assert {each["site"]["ref"] for each in offline} == gone, "those that visitors saw"
    assert gone
    assert {each["reason"] for each in offline} == {"notLive"}


async def test_deleting_and_restoring_a_site(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "first.example")
    before = len(await emitted(owner_connection))
    assert (await owner.delete(f"/sites/{ref}")).status_code == 204
    for _ in range(2):
        assert (await owner.post(f"/sites/{ref}/restore")).status_code == 200
    events = (await emitted(owner_connection))[before:]
    assert [name for name, _ in events] == ["domain.unmapped", "site.deleted", "domain.mapped", "site.updated"]
    about = {"site": {"ref": ref}, "accountHolder": {"ref": user_ref}}
    assert events[1][1] == about | {"erased": False}
    assert events[3][1] == about | {"fields": ["deleted"]}


async def test_an_erased_site_leaves_no_name_in_events(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "gone.example")
    await map_domain(owner, ref, "also-gone.example")
    assert (await owner.post(f"/sites/{ref}/publish")).status_code == 200
    assert (await owner.post(f"/sites/{ref}/hard-delete")).status_code in (200, 204)
    assert await emitted_names(owner_connection) == [
        "site.created", "domain.mapped", "domain.mapped", "site.publish", "domain.unmapped", "domain.unmapped",
        "site.deleted",
    ]  # fmt: skip
    about = {"site": {"ref": ref}, "accountHolder": {"ref": user_ref}}
    assert (await emitted(owner_connection))[-1] == ("site.deleted", about | {"erased": True})
    stored = await owner_connection.fetch("select body::text from events")
    assert not [row["body"] for row in stored if "gone" in row["body"]]


async def test_the_sites_of_an_anonymised_user_go_offline(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "first.example")
    assert (await owner.post(f"/sites/{ref}/publish")).status_code == 200
    for _ in range(2):
        await owner.post(f"/users/{user_ref}/anonymise")
    offline = [body for name, body in await emitted(owner_connection) if name == "site.offline"]
    about = {"site": {"ref": ref}, "accountHolder": {"ref": user_ref}}
    assert offline == [about | {"reason": "neverPublished"}]


async def test_subscribers_of_the_publish_event_get_no_other(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    hook = {"event": "site.publish", "url": "https://hooks.example/", "active": True}
    assert (await owner.post("/webhooks/subscription", json=hook)).status_code == 201
    ref = await ref_of_new_site(owner, user_ref, "first.example")
    assert (await owner.post(f"/sites/{ref}/publish")).status_code == 200
    await owner.delete(f"/sites/{ref}")
    await sequence_events(owner_connection)
    delivered = await owner_connection.fetch(
        "select e.kind from webhook_deliveries d join events e using (brand_ref, sequence)"
    )
    assert [row["kind"] for row in delivered] == ["site.publish"]
