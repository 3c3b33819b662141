"""Hard delete with the brand's `hardDeleteDelayDays`, undelete, and the signed receipts of erasures."""

import asyncio
import base64
import json
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.sites.sites.erasure.due_work import DueErasures
from sitewright.sites.sites.erasure.jobs import LOOP
from tests.sites.sites.shapes import get_site, map_domain, mark_published, names_of, ref_of_new_site, reseller_user
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.packages import FREE, assign
from tests.support.responses import problem_in
from tests.support.sites import make_media, make_page, make_widget
from tests.support.users import OwnerConnection, insert

KEY = "/signing-keys/erasures"


@pytest.fixture
async def delayed(owner: httpx.AsyncClient) -> int:
    response = await owner.put(f"/brands/{OWN_BRAND}/settings", json={"hardDeleteDelayDays": 7})
    assert response.json()["settings"]["hardDeleteDelayDays"] == 7
    return 7


async def hard_delete(client: httpx.AsyncClient, ref: int) -> None:
    response = await client.post(f"/sites/{ref}/hard-delete")
    assert (response.status_code, response.content) == (204, b"")


async def receipt(client: httpx.AsyncClient, anonymous: httpx.AsyncClient, ref: int) -> dict[str, Any]:
    """The receipt, whose signature is verified as the guide has it."""
    response = await client.get(f"/sites/{ref}/erasure")
    assert response.status_code == 200
    signature = response.json()["signature"]
    key = load_pem_public_key((await anonymous.get(signature["keyUrl"])).content)
    assert isinstance(key, Ed25519PublicKey)
    value, signed = base64.b64decode(signature["value"]), signature["signed"].encode()
    key.verify(value, signed)
    with pytest.raises(InvalidSignature):
        key.verify(value, signed.replace(b'"erased"', b'"waiting"') + b" ")
    erasure: dict[str, Any] = response.json()["erasure"]
    assert json.loads(signed) == erasure
    return erasure


async def make_due(owner_connection: OwnerConnection) -> None:
    """The delay of all sites that wait is over."""
    await owner_connection.execute(
        "update site_erasures set due_at = $1, erase_after = $1 where due_at is not null", clock.now()
    )


async def exists(owner_connection: OwnerConnection, ref: int) -> bool:
    return await owner_connection.fetchval("select exists (select from sites where ref = $1)", ref) is True


async def test_without_a_delay_the_site_is_erased_at_once_with_a_receipt(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    user_ref: int,
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await map_domain(owner, ref, "b.example")
    page = await make_page(owner_connection, OWN_BRAND, ref)
    for name in ("one", "two"):
        await make_widget(owner_connection, OWN_BRAND, ref, page, name=name)
    await make_media(owner_connection, OWN_BRAND, ref, user_ref, bytes=500)
    message = {"brand_ref": OWN_BRAND, "site_ref": ref, "page": "/", "name": "", "email": "", "message": "Hello"}
    await insert(owner_connection, "contact_messages", message | {"visitor": b"", "at": clock.now()})
    assert (await owner.post(f"/sites/{ref}/publish")).status_code == 200
    assert problem_in(await owner.get(f"/sites/{ref}/erasure")) == (404, "erasureNotFound")
    await hard_delete(owner, ref)
    erasure = await receipt(owner, anonymous, ref)
    assert erasure["counts"] == {
        "domains": 2, "pages": 1, "widgets": 2, "media": 1, "mediaBytes": 500, "versions": 1, "messages": 1,
    }  # fmt: skip
    assert (erasure["status"], erasure["siteRef"], erasure["brandRef"]) == ("erased", ref, OWN_BRAND)
    assert erasure["erasedAt"] == erasure["eraseAfter"] == erasure["requestedAt"]
    assert not await exists(owner_connection, ref)
    for call in ("undelete", "restore", "hard-delete"):
        assert problem_in(await owner.post(f"/sites/{ref}/{call}")) == (404, "siteNotFound")


async def test_with_a_delay_the_site_is_offline_at_once_and_erased_later(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    user_ref: int,
    delayed: int,
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await mark_published(owner_connection, ref, live=True)
    await make_page(owner_connection, OWN_BRAND, ref)
    await hard_delete(owner, ref)
    assert problem_in(await owner.get(f"/sites/{ref}")) == (404, "siteNotFound")
    shown = await get_site(owner, ref, deleted=1)
    assert (shown["live"], shown["domains"]) == (False, {})
    waiting = await receipt(owner, anonymous, ref)
    assert (waiting["status"], waiting["erasedAt"], waiting["counts"]["pages"]) == ("waiting", None, 1)
    requested, erase_after = (datetime.fromisoformat(waiting[name]) for name in ("requestedAt", "eraseAfter"))
    assert erase_after - requested == timedelta(days=delayed)
    await hard_delete(owner, ref)
    assert await receipt(owner, anonymous, ref) == waiting, "a second call changes nothing"
    await LOOP.run_once(resources)
    assert await exists(owner_connection, ref)
    await make_due(owner_connection)
    await LOOP.run_once(resources)
    assert not await exists(owner_connection, ref)
    erased = await receipt(owner, anonymous, ref)
    assert (erased["status"], erased["counts"]) == ("erased", waiting["counts"])
    assert erased["requestedAt"] == waiting["requestedAt"]
    assert problem_in(await owner.post(f"/sites/{ref}/undelete")) == (404, "siteNotFound")
    actions = await owner_connection.fetch(
        "select action, actor = 'worker' as by_worker from audit_entries where subject = 'site' and subject_ref = $1"
        " order by ref desc limit 3",
        ref,
    )
    assert [tuple(each) for each in actions] == [
        ("hard-delete", True), ("schedule erasure", False), ("delete", False),
    ]  # fmt: skip


async def test_undelete_restores_the_site_as_it_was(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int, delayed: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await map_domain(owner, ref, "b.example")
    await mark_published(owner_connection, ref, live=True)
    before = await get_site(owner, ref)
    await hard_delete(owner, ref)
    response = await owner.post(f"/sites/{ref}/undelete")
    assert (response.status_code, response.json()["site"]) == (200, before)
    assert problem_in(await owner.get(f"/sites/{ref}/erasure")) == (404, "erasureNotFound")
    assert (await owner.post(f"/sites/{ref}/undelete")).json()["site"] == before, "idempotent"
    await make_due(owner_connection)
    await LOOP.run_once(resources)
    assert await get_site(owner, ref) == before


async def test_undelete_keeps_a_site_offline_that_the_package_no_longer_allows(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int, delayed: int
) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"{name}.example") for name in "ab"]
    for ref in refs:
        await mark_published(owner_connection, ref, live=True)
    await hard_delete(owner, refs[0])
    assert (await assign(owner, user_ref, FREE)).status_code == 200
    live = await owner.put(f"/sites/{refs[1]}", json={"live": 1})
    assert live.status_code == 200
    assert (await owner.post(f"/sites/{refs[0]}/undelete")).json()["site"]["live"] is False


async def test_restore_and_taken_domains(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user_ref: int, delayed: int
) -> None:
    """`restore` cancels the erasure too, and brings the site back offline, without names that are taken now."""
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await map_domain(owner, ref, "b.example")
    await mark_published(owner_connection, ref, live=True)
    await hard_delete(owner, ref)
    await ref_of_new_site(owner, user_ref, "a.example")
    site = (await owner.post(f"/sites/{ref}/restore")).json()["site"]
    assert (site["live"], names_of(site)) == (False, ["b.example"])
    await make_due(owner_connection)
    await LOOP.run_once(resources)
    assert await exists(owner_connection, ref)


async def test_a_deleted_site_waits_too_and_a_delay_of_zero_ends_the_wait(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user_ref: int,
    delayed: int,
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await owner.delete(f"/sites/{ref}")
    await hard_delete(owner, ref)
    assert (await receipt(owner, anonymous, ref))["status"] == "waiting"
    await owner.put(f"/brands/{OWN_BRAND}/settings", json={"hardDeleteDelayDays": 0})
    assert await exists(owner_connection, ref), "sites that wait keep their time"
    await hard_delete(owner, ref)
    erased = await receipt(owner, anonymous, ref)
    assert (erased["status"], erased["counts"]["domains"]) == ("erased", 1)


async def test_sites_of_an_anonymized_user_need_not_wait(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int, delayed: int
) -> None:
    waiting, kept = [await ref_of_new_site(owner, user_ref, f"{name}.example") for name in "ab"]
    await hard_delete(owner, waiting)
    assert (await owner.post(f"/users/{user_ref}/anonymise")).status_code in (200, 204)
    await LOOP.run_once(resources)
    assert not await exists(owner_connection, waiting)
    assert await exists(owner_connection, kept)


async def test_a_site_that_another_release_restored_is_not_erased(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int, delayed: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await hard_delete(owner, ref)
    await owner_connection.execute("update sites set deleted_at = null where ref = $1", ref)
    await make_due(owner_connection)
    await LOOP.run_once(resources)
    assert await exists(owner_connection, ref)
    assert problem_in(await owner.get(f"/sites/{ref}/erasure")) == (404, "erasureNotFound")


async def test_undelete_and_the_worker_at_the_same_time(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int, delayed: int
) -> None:
    """Either the site is back or it is erased; never both."""
    refs = [await ref_of_new_site(owner, user_ref, f"a{number}.example") for number in range(6)]
    for ref in refs:
        await hard_delete(owner, ref)
    await make_due(owner_connection)
    erasing = asyncio.create_task(LOOP.run_once(resources))
    responses = await asyncio.gather(*(owner.post(f"/sites/{ref}/undelete") for ref in refs))
    await erasing
    assert {response.status_code for response in responses} <= {200, 404}
    for ref, response in zip(refs, responses, strict=True):
        assert await exists(owner_connection, ref) is (response.status_code == 200)
        assert (await owner.get(f"/sites/{ref}/erasure")).status_code == (404 if response.status_code == 200 else 200)


async def test_receipts_are_of_the_callers_brand_and_reseller(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    reseller: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    user_ref: int,
) -> None:
    own = await ref_of_new_site(owner, await reseller_user(owner_connection, resources, RESELLER_REF), "r.example")
    others = await ref_of_new_site(owner, user_ref, "a.example")
    for ref in (own, others):
        await hard_delete(owner, ref)
    assert (await reseller.get(f"/sites/{own}/erasure")).status_code == 200
    unknown = await reseller.get(f"/sites/{others + 1000}/erasure")
    for client in (reseller, other_brand):
        hidden = await client.get(f"/sites/{others}/erasure")
        assert problem_in(hidden) == problem_in(unknown) == (404, "erasureNotFound")


async def test_the_public_key_is_the_same_for_everybody_and_others_are_unknown(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient
) -> None:
    keys = await asyncio.gather(*(anonymous.get(KEY) for _ in range(8)))
    assert len({each.content for each in keys}) == 1
    assert keys[0].headers["content-type"] == "application/x-pem-file"
    assert (await anonymous.get("/signing-keys/other")).status_code == 404


@pytest.mark.parametrize("days", [-1, 366, "soon", None, 1.5])
async def test_a_delay_out_of_range_is_refused(owner: httpx.AsyncClient, days: Any) -> None:
    response = await owner.put(f"/brands/{OWN_BRAND}/settings", json={"hardDeleteDelayDays": days})
    assert response.status_code == 400
    assert list(response.json()["errors"]) == ["hardDeleteDelayDays"]


async def test_moving_the_clock_of_a_brand_brings_the_erasure_nearer(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int, delayed: int
) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    await hard_delete(owner, ref)
    work, now, day = DueErasures(), clock.now(), timedelta(days=1)
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await work.due_times(tx, now + 6 * day, 10) == []
        [due] = await work.due_times(tx, now + 8 * day, 10)
    assert due == await owner_connection.fetchval("select erase_after from site_erasures")
    await work.run(resources, OWN_BRAND, now + 3 * day)
    assert await exists(owner_connection, ref)
    left = await owner_connection.fetchval("select due_at from site_erasures") - clock.now()
    assert 3 * day < left < 5 * day
    await work.run(resources, OWN_BRAND, due)
    assert not await exists(owner_connection, ref)
    assert (await owner.get(f"/sites/{ref}/erasure")).json()["erasure"]["status"] == "erased"
