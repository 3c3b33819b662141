"""Emails in the console: the list, retrying, and previews of every kind in every language."""

import re
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.features import MAIL
from sitewright.kit import clock
from sitewright.kit.mail.shared_texts import shared_texts
from sitewright.kit.resources import Resources
from sitewright.web.console.frame.messages import CATALOG
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.operators import send
from tests.support.users import OwnerConnection, insert, make_user
from tests.web.console.conftest import LogIn

PATH = "/console/mail"


async def make_mail(owner: OwnerConnection, brand: int = 1, **columns: Any) -> int:
    """One that failed, unless `columns` say otherwise."""
    now = clock.now()
    row = {"kind": "welcome", "facts": b"sealed", "created_at": now, "next_attempt_at": now, "attempts": 3}
    failed = {"failed_at": now, "last_error": "550 no such <user>"}
    return await insert(owner, "mails", {"brand_ref": brand} | row | failed | columns)


def numbers(response: httpx.Response) -> list[int]:
    return [int(each) for each in re.findall(r'href="/console/mail/(\d+)"', response.text)]


def test_every_kind_has_a_name_in_every_language() -> None:
    for language, texts in CATALOG.languages.items():
        assert [kind for kind in MAIL.kinds if f"mail_kind_{kind}" not in texts] == [], language


async def test_lists_and_filters(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, owner: httpx.AsyncClient
) -> None:
    created = await owner.post(
        "/users",
        json={
            "brandRef": 1, "firstName": "Anna", "lastName": "Lopez", "email": "anna@mail.example", "username": "anna",
            "password": "a good password", "languageCode": "en",
        },
    )  # fmt: skip
    assert created.status_code == 201, created.text
    user_ref = created.json()["accountHolder"]["ref"]
    await owner_connection.execute("delete from mails")
    other = await make_user(owner_connection, resources, username="other")
    sent = await make_mail(owner_connection, user_ref=user_ref, sent_at=clock.now(), failed_at=None, facts=None)
    failed = await make_mail(owner_connection, user_ref=other)
    staff = await make_mail(owner_connection, kind="certificateExpiring", failed_at=None, attempts=0)
    await make_mail(owner_connection, 2)
    page = await admin.get(PATH)
    assert numbers(page) == [staff, failed, sent]
    assert "550 no such &lt;user&gt;" in page.text
    assert "anna@mail.example" in page.text
    assert "Staff of the brand" in page_text(page)
    for query, expected in (
        ("state=failed", [failed]),
        ("state=sent", [sent]),
        ("state=waiting", [staff]),
        ("kind=certificateExpiring", [staff]),
        (f"user={user_ref}", [sent]),
        ("recipient=anna@mail", [sent]),
        ("recipient=lop", [sent]),
        (f"recipient=lop&user={other}", []),
        ("recipient=nobody", []),
    ):
        assert numbers(await admin.get(f"{PATH}?{query}")) == expected, query
    assert (await admin.get(f"{PATH}?recipient=..")).status_code == 400
    assert len((await admin.get(f"{PATH}.csv")).text.splitlines()) == 4


async def test_support_sends_a_failed_mail_again(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    support, ref = await log_in("support"), await make_mail(owner_connection)
    page = await support.get(f"{PATH}/{ref}")
    assert "nobody can read it here" in page_text(page)
    assert "sealed" not in page.text
    response = await send(support, f"{PATH}/{ref}/retry")
    assert response.headers["location"] == f"{PATH}/{ref}?done=retried"
    assert "The e-mail is being sent again." in page_text(await support.get(response.headers["location"]))
    row = await owner_connection.fetchrow("select failed_at, attempts from mails where ref = $1", ref)
    assert row is not None
    assert tuple(row) == (None, 0)
    entry = await owner_connection.fetchrow(
        "select brand_ref, actor, request_id from audit_entries where subject = 'mail' and subject_ref = $1", ref
    )
    assert entry is not None
    assert entry["brand_ref"] == 1
    assert entry["actor"].startswith("operator:")
    assert entry["request_id"]


async def test_all_failed_mails_of_the_brand_are_sent_again(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    own, foreign = [await make_mail(owner_connection) for _ in range(3)], await make_mail(owner_connection, 2)
    gone = await make_mail(owner_connection, facts=None)
    response = await send(admin, f"{PATH}/retry")
    assert "The failed e-mails are being sent again." in page_text(await admin.get(response.headers["location"]))
    failed = await owner_connection.fetch("select ref from mails where failed_at is not null order by ref")
    assert [row["ref"] for row in failed] == sorted([foreign, gone])
    entries = await owner_connection.fetch("select subject_ref from audit_entries where subject = 'mail' order by ref")
    assert [row["subject_ref"] for row in entries] == own


async def test_what_cannot_be_sent_again_has_no_button(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    now = clock.now()
    sent = await make_mail(owner_connection, sent_at=now, failed_at=None, facts=None)
    gone = await make_mail(owner_connection, facts=None)
    fresh = await make_mail(owner_connection, failed_at=None, attempts=0)
    late = await make_mail(owner_connection, failed_at=None, next_attempt_at=now + timedelta(hours=3))
    for ref, has_button in ((sent, False), (gone, False), (fresh, False), (late, True)):
        page = await admin.get(f"{PATH}/{ref}")
        assert (f"{PATH}/{ref}/retry" in page.text) is has_button
        assert (await send(admin, f"{PATH}/{ref}/retry")).status_code == (303 if has_button else 404)


async def test_viewers_only_see_and_other_brands_mails_do_not_exist(
    log_in: LogIn, admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    viewer, ref = await log_in("viewer"), await make_mail(owner_connection)
    foreign = await make_mail(owner_connection, 2)
    for path in (f"{PATH}/{ref}/retry", f"{PATH}/retry"):
        assert (await send(viewer, path)).status_code == 403
        assert (await admin.post(path, data={"token": ""})).status_code == 403, "without a token"
    for path in (PATH, f"{PATH}/{ref}"):
        assert "/retry" not in (await viewer.get(path)).text
    assert (await admin.get(f"{PATH}/{foreign}")).status_code == 404
    assert (await send(admin, f"{PATH}/{foreign}/retry")).status_code == 404
    assert await owner_connection.fetchval("select count(*) from mails where failed_at is not null") == 2


@pytest.mark.parametrize("language", sorted(shared_texts()))
async def test_previews_every_kind(log_in: LogIn, language: str) -> None:
    viewer = await log_in("viewer")
    for kind in MAIL.kinds:
        page = await viewer.get(f"{PATH}/preview?kind={kind}&language={language}")
        assert page.status_code == 200, kind
        assert "frame-src 'self'" in page.headers["content-security-policy"]
        [address] = re.findall(r'<iframe class="mail-frame" sandbox title="[^"]+" src="([^"]+)"', page.text)
        frame = await viewer.get(address.replace("&amp;", "&"))
        assert frame.status_code == 200
        assert f'lang="{language}"' in frame.text
        assert frame.headers["content-security-policy"].startswith("sandbox; default-src 'none';")


async def test_the_preview_is_of_the_brand(admin: httpx.AsyncClient) -> None:
    page = await admin.get(f"{PATH}/preview")
    assert_loads_nothing_else(page)
    assert "Welcome to Northwind Hosting" in page_text(page)
    assert (await admin.get(f"{PATH}/preview?kind=love-letter")).status_code == 404
    assert (await admin.get(f"{PATH}/preview?language=xx")).status_code == 400
    assert (await admin.get(f"{PATH}/preview/frame?kind=x")).status_code == 404


async def test_in_other_languages(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await make_mail(owner_connection)
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in (PATH, f"{PATH}/{ref}", f"{PATH}/preview"):
            page = await admin.get(path)
            assert page.status_code == 200
            assert f'<html lang="{language}">' in page.text
