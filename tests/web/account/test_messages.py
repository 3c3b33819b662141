"""Visitors' messages: listed, opened, answered and deleted by the account holder whose site they were sent to."""

from datetime import timedelta

import httpx
import pytest

from sitewright.edge.messages.service import MAX_UNREAD
from sitewright.kit import clock, mail
from sitewright.kit.resources import Resources
from tests.support.browsing import forms, page_text
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection, insert, make_user
from tests.web.account.factories import make_site

MESSAGES = "/account/messages"


async def make_message(owner: OwnerConnection, site_ref: int, name: str = "Bo Visitor", **columns: object) -> int:
    row = {
        "brand_ref": OWN_BRAND,
        "site_ref": site_ref,
        "page": "",
        "name": name,
        "email": "bo@visitor.example",
        "message": "Hello,\nwhen are you open?",
        "visitor": b"x",
        "at": clock.now(),
    }
    return await insert(owner, "contact_messages", row | columns)


async def send(visitor: httpx.AsyncClient, ref: int, action: str, **typed: str) -> httpx.Response:
    form = forms(await visitor.get(f"{MESSAGES}/{ref}"))[f"{MESSAGES}/{ref}/{action}"]
    return await visitor.post(f"{MESSAGES}/{ref}/{action}", data=form | typed)


async def test_without_messages_the_page_says_what_it_is_for(visitor: httpx.AsyncClient) -> None:
    assert "No messages yet" in page_text(await visitor.get(MESSAGES))


async def test_an_unread_message_is_opened_and_counts_as_read(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    ref = await make_message(owner_connection, site)
    page = await visitor.get(MESSAGES)
    assert "1 new" in page_text(page)
    assert "Hello, when are you open?" in page_text(page)
    assert "www.example.com" in page_text(page)
    await visitor.get(f"{MESSAGES}/{ref}")
    assert "1 new" in page_text(await visitor.get(MESSAGES)), "opening a page by GET changes nothing"
    response = await visitor.post(f"{MESSAGES}/{ref}/read", data=forms(page)[f"{MESSAGES}/{ref}/read"])
    assert response.headers["location"] == f"{MESSAGES}/{ref}"
    assert "bo@visitor.example" in page_text(await visitor.get(f"{MESSAGES}/{ref}"))
    assert " new" not in page_text(await visitor.get(MESSAGES))
    assert (await send(visitor, ref, "read", read="0")).headers["location"] == f"{MESSAGES}?done=unread"
    assert "1 new" in page_text(await visitor.get(MESSAGES))


async def test_the_navigation_of_every_page_has_the_number_of_unread_messages(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    counted = '<span class="count" aria-hidden="true">{0}</span><span class="visually-hidden"> ({0} unread)</span>'
    assert 'class="count"' not in (await visitor.get("/account")).text
    refs = [await make_message(owner_connection, site) for _ in range(2)]
    for address in ("/account", "/account/profile", f"/account/sites/{site}", MESSAGES):
        assert counted.format(2) in (await visitor.get(address)).text
    await send(visitor, refs[0], "read", read="1")
    assert counted.format(1) in (await visitor.get("/account")).text
    for _ in range(MAX_UNREAD):
        await make_message(owner_connection, site)
    assert counted.format("100+") in (await visitor.get("/account")).text


async def test_messages_are_paged_by_key_newest_first(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int, site: int
) -> None:
    other = await make_site(owner_connection, resources, user, "www.example.org")
    for number in range(45):
        await make_message(owner_connection, other if number % 3 else site, f"Visitor {number:02}")

    async def names(path: str) -> list[str]:
        text = page_text(await visitor.get(path))
        return [f"Visitor {number:02}" for number in range(45) if f"Visitor {number:02}" in text]

    def link(page: httpx.Response, rel: str) -> str:
        return page.text.partition(f'rel="{rel}"')[0].rpartition('href="')[2].partition('"')[0]

    first = await visitor.get(MESSAGES)
    assert await names(MESSAGES) == [f"Visitor {number:02}" for number in range(25, 45)]
    assert 'rel="prev"' not in first.text
    second = link(first, "next")
    assert await names(second) == [f"Visitor {number:02}" for number in range(5, 25)]
    third = link(await visitor.get(second), "next")
    assert await names(third) == [f"Visitor {number:02}" for number in range(5)]
    last = await visitor.get(third)
    assert 'rel="next"' not in last.text
    back = link(last, "prev")
    assert await names(back) == [f"Visitor {number:02}" for number in range(5, 25)]
    front = link(await visitor.get(back), "prev")
    assert await names(front) == [f"Visitor {number:02}" for number in range(25, 45)]
    assert 'rel="prev"' not in (await visitor.get(front)).text


async def test_a_reply_is_mailed_in_the_sites_name_and_shown(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int, site: int
) -> None:
    await owner_connection.execute("update profiles set fields = jsonb_build_object('business', 'Penny & Pear')")
    ref = await make_message(owner_connection, site)
    assert "go to ann@mail.example" in page_text(await visitor.get(f"{MESSAGES}/{ref}"))
    response = await send(visitor, ref, "reply", reply=" Hello Bo,\r\nevery day. ")
    assert response.headers["location"] == f"{MESSAGES}/{ref}?done=sent"
    row = await owner_connection.fetchrow("select * from mails")
    assert row is not None
    assert (row["kind"], row["user_ref"], row["site_ref"]) == ("contactReply", user, site)
    assert mail.open_facts(resources.sealer, OWN_BRAND, row["facts"]) == {
        "to": "bo@visitor.example",
        "site": "www.example.com",
        "fromName": "Penny & Pear",
        "reply": "Hello Bo,\nevery day.",
        "replyTo": "ann@mail.example",
    }
    page = await visitor.get(response.headers["location"])
    assert "Your reply is on its way." in page_text(page)
    assert "Hello Bo, every day." in page_text(page)
    assert "Answered" in page_text(await visitor.get(MESSAGES))
    assert " new" not in page_text(await visitor.get(MESSAGES))


@pytest.mark.parametrize("reply", ["", "  ", "x" * 5001])
async def test_an_invalid_reply_is_kept_and_not_sent(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int, reply: str
) -> None:
    ref = await make_message(owner_connection, site)
    response = await send(visitor, ref, "reply", reply=reply)
    assert response.status_code == 400
    assert "Please write a reply of at most 5000 characters." in page_text(response)
    assert forms(response)[f"{MESSAGES}/{ref}/reply"]["reply"].strip() == reply.strip()
    assert await owner_connection.fetchval("select count(*) from mails") == 0


async def test_replies_are_limited(visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int) -> None:
    ref = await make_message(owner_connection, site)
    for number in range(10):
        row = {"brand_ref": OWN_BRAND, "message_ref": ref, "text": str(number), "at": clock.now() - timedelta(days=2)}
        await insert(owner_connection, "contact_replies", row)
    response = await send(visitor, ref, "reply", reply="One more")
    assert response.status_code == 429
    assert forms(response)[f"{MESSAGES}/{ref}/reply"]["reply"] == "One more"


async def test_replies_count_although_their_messages_are_deleted(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    for _ in range(3):
        ref = await make_message(owner_connection, site)
        for number in range(10):
            assert (await send(visitor, ref, "reply", reply=str(number))).status_code == 303
        await send(visitor, ref, "delete")
    ref = await make_message(owner_connection, site)
    assert (await send(visitor, ref, "reply", reply="One more")).status_code == 429
    await owner_connection.execute("update mails set created_at = created_at - interval '1 hour'")
    assert (await send(visitor, ref, "reply", reply="One more")).status_code == 303


async def test_a_message_is_deleted_with_its_replies(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, site: int
) -> None:
    ref = await make_message(owner_connection, site)
    await send(visitor, ref, "reply", reply="Hello")
    assert (await send(visitor, ref, "delete")).headers["location"] == f"{MESSAGES}?done=deleted"
    assert (await visitor.get(f"{MESSAGES}/{ref}")).status_code == 404
    for table in ("contact_messages", "contact_replies"):
        assert await owner_connection.fetchval(f"select count(*) from {table}") == 0


async def test_others_messages_look_like_missing_ones(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    bea = await make_user(owner_connection, resources, username="bea")
    theirs = await make_message(owner_connection, await make_site(owner_connection, resources, bea, "bea.example"))
    token = {"token": forms(await visitor.get(MESSAGES))["/logout"]["token"]}
    assert "No messages yet" in page_text(await visitor.get(MESSAGES))
    for ref in (theirs, 999_999):
        assert (await visitor.get(f"{MESSAGES}/{ref}")).status_code == 404
        for action in ("read", "reply", "delete"):
            typed = token | {"read": "1", "reply": "x"}
            assert (await visitor.post(f"{MESSAGES}/{ref}/{action}", data=typed)).status_code == 404
    assert await owner_connection.fetchval("select count(*) from contact_messages where read_at is null") == 1
