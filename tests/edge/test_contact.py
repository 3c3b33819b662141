"""The contact form: messages are stored and mailed in one transaction, or rejected with a reason."""

import asyncio
import email
import email.policy
from typing import Any
from urllib.parse import quote

import httpx
import msgspec
import pytest

from sitewright.edge import contact
from sitewright.edge.app import SiteListener
from sitewright.kit import clock, mail
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.edge.shops import FILES, HOST, Shop, Visitor, kind_of, open_shop
from tests.support.cast import OWN_BRAND
from tests.support.emitted import emitted
from tests.support.rendered_mails import rendered
from tests.support.users import make_user
from tests.support.wire import status_of

FORM = {
    "name": "Bo Visitor",
    "email": "bo@mail.example",
    "message": "Hello,\r\nopen today?",
    "page": "about",
    "website": "",
}
PATH = "/_site/contact"


async def messages(shop: Shop) -> list[dict[str, Any]]:
    return [dict(row) for row in await shop.owner.fetch("select * from contact_messages order by ref")]


async def mails_to_send(shop: Shop, resources: Resources) -> list[Any]:
    """The rendered mails of the outbox."""
    refs = [row["ref"] for row in await shop.owner.fetch("select ref from mails order by ref")]
    written = await rendered(resources, refs)
    return [email.message_from_bytes(each.message.content, policy=email.policy.default) for each in written]


async def name_recipient(shop: Shop, address: str, verified: str | None = None) -> None:
    await shop.owner.execute(
        "update profiles set fields = jsonb_build_object('email', $2::text), verified_email = $3"
        " where ref = (select profile_ref from sites where ref = $1)",
        shop.ref,
        address,
        verified,
    )


async def test_a_message_is_stored_and_the_visitor_redirected_back(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.post(PATH, data=FORM)
    assert (response.status_code, response.headers["location"]) == (303, "/about?sent=1#sent")
    [kept] = await messages(shop)
    assert {name: kept[name] for name in ("site_ref", "page", "name", "email", "message")} == {
        "site_ref": shop.ref,
        "page": "about",
        "name": "Bo Visitor",
        "email": "bo@mail.example",
        "message": "Hello,\nopen today?",
    }
    assert b"127.0.0.1" not in kept["visitor"]


async def test_a_message_is_an_event_that_says_nothing_of_the_visitor(visitor: Visitor, shop: Shop) -> None:
    await visitor.post(PATH, data=FORM)
    await visitor.post(PATH, data=FORM | {"website": "spam"})
    [kept] = await messages(shop)
    holder = await shop.owner.fetchval("select user_ref from sites where ref = $1", shop.ref)
    about = {"site": {"ref": shop.ref}, "accountHolder": {"ref": holder}, "messageRef": kept["ref"]}
    assert await emitted(shop.owner) == [("message.received", about)]


async def test_an_address_for_the_newsletter_is_stored_with_the_messages(visitor: Visitor, shop: Shop) -> None:
    form = {"form": "newsletter", "email": " bo@mail.example ", "page": "about", "website": ""}
    response = await visitor.post(PATH, data=form)
    assert (response.status_code, response.headers["location"]) == (303, "/about?sent=1#newsletter-sent")
    [kept] = await messages(shop)
    assert (kept["name"].strip(), kept["email"]) == ("bo@mail.example", "bo@mail.example")
    assert kept["message"].startswith("Newsletter")
    assert (await visitor.post(PATH, data=form | {"website": "spam"})).status_code == 303
    wrong = await visitor.post(PATH, data=form | {"email": "nonsense"})
    assert (wrong.status_code, len(await messages(shop))) == (400, 1)


async def test_it_is_mailed_to_the_verified_address(visitor: Visitor, shop: Shop, resources: Resources) -> None:
    await name_recipient(shop, " owner@shop.example ", "owner@shop.example")
    await visitor.post(PATH, data=FORM)
    [message] = await mails_to_send(shop, resources)
    assert (message["To"], message["Reply-To"]) == ("owner@shop.example", "bo@mail.example")
    assert message["Subject"] == f"A message from your website {HOST}"
    text = "\n".join(message.get_body(("plain",)).get_content().splitlines())
    assert "From: Bo Visitor\nE-mail address: bo@mail.example\n\n> Hello,\n> open today?\n" in text


@pytest.mark.parametrize("verified", [None, "ann@mail.example", "Victim@mail.example"])
async def test_an_address_that_is_not_verified_gets_nothing(
    visitor: Visitor, shop: Shop, resources: Resources, verified: str | None
) -> None:
    await name_recipient(shop, "victim@mail.example", verified)
    await visitor.post(PATH, data=FORM)
    [message] = await mails_to_send(shop, resources)
    assert message["To"] == "ann@mail.example"


@pytest.mark.parametrize("address", ["", "nonsense", "two@mail.example, more@mail.example"])
async def test_without_a_verified_address_the_account_holder_gets_the_mail(
    visitor: Visitor, shop: Shop, resources: Resources, address: str
) -> None:
    await name_recipient(shop, address)
    await visitor.post(PATH, data=FORM)
    [message] = await mails_to_send(shop, resources)
    assert message["To"] == "ann@mail.example"


async def test_a_visitors_text_is_escaped(visitor: Visitor, shop: Shop, resources: Resources) -> None:
    nasty = "<script>alert(1)</script> {{ 7 * 7 }} https://evil.example\r\nBcc: all@mail.example\r\n\u2028x"
    form = FORM | {"name": "Bo <b>\r\nBcc: evil@mail.example", "message": nasty}
    assert (await visitor.post(PATH, data=form)).status_code == 303
    [message] = await mails_to_send(shop, resources)
    html = message.get_body(("html",)).get_content()
    assert (message["Bcc"], "<script>" in html, "<b>" in html, 'href="https://evil' in html) == (
        None,
        False,
        False,
        False,
    )
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 * 7 }} https://evil.example<br>Bcc: all@mail.example<br>" in html


async def test_the_honeypot_discards_the_message_with_a_success_response(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.post(PATH, data=FORM | {"website": "https://spam.example", "email": "x"})
    assert (response.status_code, response.headers["location"]) == (303, "/about?sent=1#sent")
    assert await messages(shop) == []


@pytest.mark.parametrize(
    ("page", "location"),
    [
        ("", "/"),
        ("/", "/"),
        ("home", "/"),
        ("/food/menu", "/food/menu"),
        ("ABOUT", "/about"),
        ("nothing", "/"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("\\\\evil.example", "/"),
        (":not-found", "/"),
        ("_site/style.css", "/"),
        ("about\r\nX-Evil: 1", "/"),
        ("a" * 5000, "/"),
    ],
)
async def test_the_redirect_leads_only_to_pages_of_the_site(
    visitor: Visitor, shop: Shop, page: str, location: str
) -> None:
    response = await visitor.post(PATH, data=FORM | {"page": page})
    assert (response.status_code, response.headers["location"]) == (303, f"{location}?sent=1#sent")
    assert len((await messages(shop))[0]["page"]) <= 255


NAME = "Tell us your name"
ADDRESS = "Check your e-mail address"
MESSAGE = "Write a message"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, [NAME]),
        ({"name": " \t "}, [NAME]),
        ({"name": "x" * 151}, [NAME]),
        ({"name": "a\0b"}, [NAME]),
        ({"email": ""}, [ADDRESS]),
        ({"email": "bo"}, [ADDRESS]),
        ({"email": "bo@localhost"}, [ADDRESS]),
        ({"email": "bo@mail.example\r\nBcc: x@mail.example"}, [ADDRESS]),
        ({"email": "a@mail.example,b@mail.example"}, [ADDRESS]),
        ({"email": "x" * 64 + "@" + "y" * 190 + ".example"}, [ADDRESS]),
        ({"message": ""}, [MESSAGE]),
        ({"message": "\r\n "}, [MESSAGE]),
        ({"message": "x" * 5001}, [MESSAGE]),
        ({"message": "a\0b"}, [MESSAGE]),
        ({"name": "", "email": "", "message": ""}, [NAME, ADDRESS, MESSAGE]),
    ],
)
async def test_invalid_fields_are_named_with_a_link_back(
    visitor: Visitor, shop: Shop, fields: dict[str, str], words: list[str]
) -> None:
    response = await visitor.post(PATH, data=FORM | fields)
    assert kind_of(response) == (400, "page")
    assert [each for each in (NAME, ADDRESS, MESSAGE) if each in response.text] == words
    assert 'href="/about#contact"' in response.text
    assert await messages(shop) == []


PAGE = """<h1>Write</h1><div class="contact-form" id="contact">
<form method="post" action="/_site/contact">
<input type="hidden" name="page" value="about">
<p class="field"><label for="name">Name</label><input id="name" name="name" required maxlength="150"></p>
<p class="field"><label for="email">Address</label><input id="email" name="email" type="email" required></p>
<p class="field"><label for="message">Message</label><textarea id="message" name="message" required></textarea></p>
</form></div>"""
TYPED = {"name": 'Bo "B" <b>', "email": "bo", "message": "\n</textarea><script>1</script>", "page": "about"}


async def test_the_page_shows_what_was_typed_and_the_errors_at_their_fields(visitor: Visitor, shop: Shop) -> None:
    await shop.publish(FILES | {"about": PAGE}, 2)
    response = await visitor.post(PATH, data=TYPED)
    assert kind_of(response) == (400, "page")
    assert response.headers["cache-control"] == "no-store"
    assert "<h1>Write</h1>" in response.text
    assert 'maxlength="150" value="Bo &#34;B&#34; &lt;b&gt;">' in response.text
    assert 'required value="bo" aria-invalid="true" aria-describedby="contact-error-email" autofocus>' in response.text
    assert f'<span class="error" id="contact-error-email">{ADDRESS}' in response.text
    assert "&lt;/textarea&gt;&lt;script&gt;1&lt;/script&gt;</textarea>" in response.text
    assert (NAME in response.text, MESSAGE in response.text, "<script" in response.text) == (False, False, False)
    assert '<p class="form-error" role="alert">Your message was not sent.</p>' in response.text


async def test_nothing_typed_is_lost_over_the_rate_limit(visitor: Visitor, shop: Shop) -> None:
    await shop.publish(FILES | {"about": PAGE}, 2)
    responses = [await visitor.post(PATH, data=FORM) for _ in range(6)]
    assert (responses[-1].status_code, responses[-1].headers["retry-after"]) == (429, "600")
    assert "You have sent several messages already" in responses[-1].text
    assert "Hello,\r\nopen today?</textarea>" in responses[-1].text


@pytest.mark.parametrize("form", [{}, {"unheard": "of"}])
async def test_an_empty_form_has_all_errors(visitor: Visitor, shop: Shop, form: dict[str, str]) -> None:
    response = await visitor.post(PATH, data=form, headers={"Content-Type": "application/x-www-form-urlencoded"})
    assert response.status_code == 400
    assert all(words in response.text for words in (NAME, ADDRESS, MESSAGE))


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"name": "Bo"}', "application/json"),
        (b"name=Bo", "text/plain"),
        (b"name=Bo", ""),
        (b"name=%ff", "application/x-www-form-urlencoded"),
        (b"name=\xff", "application/x-www-form-urlencoded"),
        (b"&".join(b"a=1" for _ in range(5000)), "application/x-www-form-urlencoded"),
        (b"--x\r\n", "multipart/form-data; boundary=x"),
    ],
)
async def test_a_body_that_is_not_a_form_is_rejected(
    visitor: Visitor, shop: Shop, body: bytes, content_type: str
) -> None:
    response = await visitor.post(PATH, content=body, headers={"Content-Type": content_type})
    assert (response.status_code, "could not be read" in response.text) == (400, True)


async def test_forms_are_limited_to_64_kib(visitor: Visitor, shop: Shop) -> None:
    response = await visitor.post(PATH, data=FORM | {"message": "x" * contact.MAX_FORM})
    assert (response.status_code, "It is too long" in response.text) == (413, True)


async def test_an_incomplete_form_is_discarded(visitor: Visitor, shop: Shop) -> None:
    head = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n"
    reader, writer = await asyncio.open_connection(*visitor.base_url.removeprefix("http://").rstrip("/").split(":"))
    writer.write(b"POST /_site/contact HTTP/1.1\r\nHost: shop.example\r\n" + head + b"\r\nname=Bo")
    await writer.drain()
    writer.close()
    assert status_of(await visitor.send("/about")) == 200
    assert await messages(shop) == []
    del reader


async def test_rate_limit_of_five_messages_in_ten_minutes(visitor: Visitor, shop: Shop) -> None:
    """It also holds for concurrent messages."""
    responses = await asyncio.gather(*(visitor.post(PATH, data=FORM) for _ in range(12)))
    assert sorted(response.status_code for response in responses) == [303] * 5 + [429] * 7
    refused = next(response for response in responses if response.status_code == 429)
    assert (refused.headers["retry-after"], "Please wait 10 minutes" in refused.text) == ("600", True)
    assert len(await messages(shop)) == 5
    assert await shop.owner.fetchval("select count(*) from mails") == 5
    clock.shift(601)
    assert (await visitor.post(PATH, data=FORM)).status_code == 303


async def test_the_rate_limit_is_per_site(visitor: Visitor, shop: Shop) -> None:
    for _ in range(5):
        await visitor.post(PATH, data=FORM)
    assert (await visitor.post(PATH, data=FORM)).status_code == 429
    await shop.owner.execute("update contact_messages set visitor = 'another'")
    assert (await visitor.post(PATH, data=FORM)).status_code == 303


async def test_rate_limit_of_a_hundred_messages_an_hour_for_a_site(visitor: Visitor, shop: Shop) -> None:
    await shop.owner.execute(
        "insert into contact_messages (brand_ref, site_ref, page, name, email, message, visitor, at)"
        " select $1, $2, '', 'n', 'e', 'm', n::text::bytea, $3 from generate_series(1, 100) n",
        OWN_BRAND,
        shop.ref,
        clock.now(),
    )
    response = await visitor.post(PATH, data=FORM)
    assert (response.status_code, response.headers["retry-after"]) == (429, "3600")
    clock.shift(3601)
    assert (await visitor.post(PATH, data=FORM)).status_code == 303


@pytest.mark.parametrize("columns", [{"live": False}, {"enabled": False}])
async def test_offline_sites_accept_no_messages(visitor: Visitor, shop: Shop, columns: dict[str, bool]) -> None:
    await shop.set(**columns)
    assert kind_of(await visitor.post(PATH, data=FORM)) == (503, "offline")
    assert kind_of(await visitor.post(PATH, host="nobody.example", data=FORM)) == (404, "holding")
    assert await messages(shop) == []


async def test_a_message_and_its_mail_are_one_transaction(
    visitor: Visitor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(mail, "put", fail)
    response = await visitor.post(PATH, data=FORM)
    assert (response.status_code, "ZeroDivision" in response.text) == (500, False)
    assert await messages(shop) == []


async def test_messages_are_deleted_when_the_account_holder_is_anonymized(
    visitor: Visitor, shop: Shop, owner: httpx.AsyncClient, resources: Resources
) -> None:
    other = await open_shop(
        shop.owner, resources, "other.example", user_ref=await make_user(shop.owner, resources, username="bob")
    )
    for host in (HOST, "other.example"):
        await visitor.post(PATH, host=host, data=FORM)
    user_ref = await shop.owner.fetchval("select user_ref from sites where ref = $1", shop.ref)
    assert (await owner.post(f"/users/{user_ref}/anonymise")).is_success
    assert [each["site_ref"] for each in await messages(shop)] == [other.ref]


async def test_a_forwarded_address_in_a_trailer_is_ignored(
    edge_server: tuple[Any, str], visitor: Visitor, shop: Shop, resources: Resources
) -> None:
    """Otherwise a client behind a proxy could evade the rate limit."""
    settings = msgspec.structs.replace(resources.settings, trusted_proxies=["127.0.0.0/8"])
    trusting = msgspec.structs.replace(resources, settings=settings, proxies=Proxies(["127.0.0.0/8"]))
    edge_server[0].listener = SiteListener(trusting)
    body = b"&".join(f"{name}={quote(value)}".encode() for name, value in FORM.items())
    more = b"Content-Type: application/x-www-form-urlencoded\r\nX-Forwarded-For: 192.0.2.1\r\n"
    more += b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\nX-Forwarded-For: 192.0.2.%d\r\n"
    sent = [await visitor.send(PATH, method="POST", more=more % (len(body), body, number)) for number in range(2, 8)]
    assert [status_of(response) for response in sent] == [303] * contact.PER_VISITOR + [429]
