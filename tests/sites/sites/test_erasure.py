"""Erasure of a site's data in other features."""

from typing import Any

import httpx
import msgspec

from sitewright.edge.mails import CONTACT_MESSAGE
from sitewright.kit import mail
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from tests.sites.sites.shapes import ref_of_new_site
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection

KEY = {"Idempotency-Key": "once"}
NAMES: dict[str, Any] = {"domains": {}, "primaryDomain": None, "primaryUrl": ""}


async def published(owner: httpx.AsyncClient, user_ref: int, domain: str) -> int:
    ref = await ref_of_new_site(owner, user_ref, domain)
    assert (await owner.post(f"/sites/{ref}/publish")).status_code == 200
    return ref


async def bodies(owner_connection: OwnerConnection) -> list[dict[str, Any]]:
    await sequence_events(owner_connection)
    rows = await owner_connection.fetch("select body::text from events order by sequence")
    return [msgspec.json.decode(row["body"]) for row in rows]


async def publish_events(owner_connection: OwnerConnection) -> list[dict[str, Any]]:
    return [each for each in await bodies(owner_connection) if each["eventName"] == "site.publish"]


async def test_events_are_kept_without_host_names(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    gone, other = [await published(owner, user_ref, name) for name in ("gone.example", "other.example")]
    before = await publish_events(owner_connection)
    await owner.post(f"/sites/{gone}/hard-delete")
    after = await publish_events(owner_connection)
    assert [each["site"]["ref"] for each in after] == [gone, other]
    assert after[0] == before[0] | {"site": before[0]["site"] | NAMES}
    assert [list(each) for each in after] == [list(each) for each in before]
    assert after[1] == before[1]


async def test_stored_webhook_responses_are_erased(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, user_ref: int
) -> None:
    hook = {"event": "site.publish", "url": "https://hooks.example/", "active": True}
    subscription = (await owner.post("/webhooks/subscription", json=hook)).json()["id"]
    sites = [await published(owner, user_ref, name) for name in ("gone.example", "other.example")]
    await sequence_events(owner_connection)
    await owner_connection.execute(
        "insert into webhook_attempts (brand_ref, subscription_ref, sequence, number, at, outcome, milliseconds,"
        " answer) select brand_ref, $1, sequence, 1, at, 'dead', 1, 'thank you' from events"
        " where kind = 'site.publish'",
        subscription,
    )
    await owner.post(f"/sites/{sites[0]}/hard-delete")
    rows = await owner_connection.fetch("select answer from webhook_attempts order by sequence")
    assert [row["answer"] for row in rows] == [None, "thank you"]


async def test_a_repeated_request_does_not_create_the_erased_site_again(
    owner: httpx.AsyncClient, user_ref: int
) -> None:
    sent = {"brandRef": OWN_BRAND, "accountHolderRef": user_ref, "domain": "gone.example"}
    ref = (await owner.post("/sites", json=sent, headers=KEY)).json()["site"]["ref"]
    page = {"pageUrl": "home", "type": "page", "title": "Home", "status": "active"}
    of_page = KEY | {"Idempotency-Key": "page"}
    assert (await owner.post(f"/sites/{ref}/pages", json=page, headers=of_page)).status_code == 200
    await owner.post(f"/sites/{ref}/hard-delete")
    assert problem_in(await owner.post("/sites", json=sent, headers=KEY)) == (409, "idempotencyForgotten")
    again = await owner.post(f"/sites/{ref}/pages", json=page, headers=of_page)
    assert problem_in(again) == (409, "idempotencyForgotten")


async def test_queued_contact_mails_are_deleted(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user_ref: int
) -> None:
    gone, other = [await ref_of_new_site(owner, user_ref, name) for name in ("gone.example", "other.example")]
    contact_mails = [Mail(kind=CONTACT_MESSAGE, user_ref=user_ref, site_ref=ref) for ref in (gone, other)]
    async with resources.database.transaction(OWN_BRAND) as tx:
        await mail.put(tx, resources.sealer, OWN_BRAND, contact_mails)
    await owner.post(f"/sites/{gone}/hard-delete")
    rows = await owner_connection.fetch("select site_ref from mails where kind = 'contactMessage'")
    assert [row["site_ref"] for row in rows] == [other]
