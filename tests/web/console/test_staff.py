"""The staff of a brand: invitations, roles, removal, and who may change them."""

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.browsing import assert_loads_nothing_else, hidden, page_text
from tests.support.operators import log_in_operator, mailed_invitation, send
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

STAFF = "/console/staff"
KIM = {"name": "Kim Example", "email": "kim@brand.example", "role": "support"}
CHOSEN = {"username": "kim@brand.example", "password": "a good password"}


@pytest.fixture
async def link(admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources) -> str:
    """The mailed link of an invitation."""
    response = await send(admin, f"{STAFF}/invitations", **KIM)
    assert response.headers["location"] == f"{STAFF}?done=invited"
    return await mailed_invitation(owner_connection, resources)


async def operator_ref(owner: OwnerConnection, username: str) -> int:
    ref: int = await owner.fetchval("select ref from operators where username = $1 and revoked_at is null", username)
    return ref


async def accept(client: httpx.AsyncClient, link: str, **form: str) -> httpx.Response:
    return await client.post("/console/invitation", data={"h": link.partition("h=")[2]} | CHOSEN | form)


async def test_an_invited_person_chooses_a_password_and_is_logged_in(
    admin: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, link: str
) -> None:
    assert "Kim Example" in page_text(await admin.get(STAFF))
    page = await anonymous.get(link)
    assert page.status_code == 200
    assert_loads_nothing_else(page)
    assert 'value="kim@brand.example"' in page.text
    response = await accept(anonymous, link)
    assert (response.status_code, response.headers["location"]) == (303, "/console")
    start = page_text(await anonymous.get("/console/overview"))
    assert "Kim Example" in start
    listed = page_text(await admin.get(STAFF))
    assert "Open invitations" not in listed
    assert "kim@brand.example" in listed
    assert (await log_in_operator(anonymous, "kim@brand.example", "a good password")).status_code == 303
    actors = await owner_connection.fetch(
        "select actor, action from audit_entries where subject in ('operator', 'operatorInvitation')"
        " order by ref desc limit 4"
    )
    ref = await operator_ref(owner_connection, "kim@brand.example")
    admin_ref = await operator_ref(owner_connection, "brand-admin")
    assert [tuple(row) for row in reversed(actors)][:3] == [
        (f"operator:{admin_ref}", "create"), (actors[2]["actor"], "create"), (f"operator:{ref}", "log-in"),
    ]  # fmt: skip
    assert actors[2]["actor"].startswith("invitation:")


async def test_an_invitation_works_once(anonymous: httpx.AsyncClient, link: str) -> None:
    assert (await accept(anonymous, link)).status_code == 303
    again = await accept(anonymous, link, username="other")
    assert again.status_code == 404
    assert "This invitation no longer works" in page_text(again)
    assert (await anonymous.get(link)).status_code == 404


async def test_an_invitation_expires_after_seven_days(
    anonymous: httpx.AsyncClient, admin: httpx.AsyncClient, log_in: LogIn, link: str
) -> None:
    clock.shift(7 * 86400 - 60)
    assert (await anonymous.get(link)).status_code == 200
    clock.shift(7 * 86400 + 1)
    assert (await anonymous.get(link)).status_code == 404
    assert (await accept(anonymous, link)).status_code == 404
    assert "Expired" in page_text(await (await log_in("viewer")).get(STAFF))


async def test_a_withdrawn_invitation_does_not_work(
    admin: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, link: str
) -> None:
    ref = await owner_connection.fetchval("select ref from operator_invitations")
    assert (await send(admin, f"{STAFF}/invitations/{ref}/withdraw")).status_code == 303
    assert (await anonymous.get(link)).status_code == 404
    assert (await send(admin, f"{STAFF}/invitations/{ref}/withdraw")).status_code == 404


@pytest.mark.parametrize("secret", ["", "x", "1-x", "999-x", "0-x", "1-" + "a" * 300])
async def test_an_unknown_invitation_is_not_found(anonymous: httpx.AsyncClient, secret: str) -> None:
    assert (await anonymous.get(f"/console/invitation?h={secret}")).status_code == 404
    assert (await accept(anonymous, f"h={secret}")).status_code == 404


async def test_what_an_invited_person_chose_wrongly_is_explained(anonymous: httpx.AsyncClient, link: str) -> None:
    taken = await accept(anonymous, link, username="brand-admin")
    assert taken.status_code == 400
    assert "This user name is taken." in page_text(taken)
    assert hidden(taken, "h") == link.partition("h=")[2]
    for username in ("with:colon", "", "   ", "x" * 256):
        assert (await accept(anonymous, link, username=username)).status_code == 400
    short = await accept(anonymous, link, password="short")
    assert "The password must have 7 to 100 characters." in page_text(short)
    assert (await accept(anonymous, link)).status_code == 303


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"email": "nowhere"}, "Please enter an e-mail address, like kim@example.com."),
        ({"name": ""}, "Please enter a name of at most 150 characters."),
        ({"role": "system-owner"}, "Please check this field."),
    ],
)
async def test_a_wrong_invitation_is_explained(admin: httpx.AsyncClient, form: dict[str, str], text: str) -> None:
    response = await send(admin, f"{STAFF}/invitations", **(KIM | form))
    assert response.status_code == 400
    assert text in page_text(response)


async def test_a_changed_role_ends_the_sessions(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection
) -> None:
    viewer, ref = await log_in("viewer"), await operator_ref(owner_connection, "viewer")
    assert (await send(admin, f"{STAFF}/{ref}/role", role="support")).headers["location"] == f"{STAFF}?done=role"
    assert (await viewer.get("/console/me")).status_code == 303
    assert "Support" in page_text(await (await log_in("viewer")).get("/console/me"))


async def test_a_removed_person_has_no_access(
    admin: httpx.AsyncClient, log_in: LogIn, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    viewer, ref = await log_in("viewer"), await operator_ref(owner_connection, "viewer")
    asked = await admin.get(f"{STAFF}/{ref}/remove")
    assert asked.status_code == 200
    assert "loses all access" in page_text(asked)
    assert (await viewer.get("/console/me")).status_code == 200, "the question changes nothing"
    assert (await send(admin, f"{STAFF}/{ref}/remove")).headers["location"] == f"{STAFF}?done=removed"
    assert (await viewer.get("/console/me")).status_code == 303
    assert (await log_in_operator(anonymous, "viewer")).status_code == 401
    assert (await send(admin, f"{STAFF}/{ref}/remove")).status_code == 404


async def test_the_last_brand_admin_stays(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await operator_ref(owner_connection, "brand-admin")
    for path, form in ((f"{STAFF}/{ref}/remove", {}), (f"{STAFF}/{ref}/role", {"role": "viewer"})):
        response = await send(admin, path, **form)
        assert response.status_code == 409
        assert "A brand needs at least one brand admin." in page_text(response)
    other = await operator_ref(owner_connection, "support")
    await send(admin, f"{STAFF}/{other}/role", role="brand-admin")
    assert (await send(admin, f"{STAFF}/{ref}/role", role="viewer")).status_code == 303


@pytest.mark.parametrize("username", ["support", "viewer"])
async def test_only_brand_admins_change_staff(log_in: LogIn, owner_connection: OwnerConnection, username: str) -> None:
    """Forms that the page does not show, sent by hand."""
    client, ref = await log_in(username), await operator_ref(owner_connection, "brand-admin")
    page = await client.get(STAFF)
    assert page.status_code == 200
    assert "Invite somebody" not in page_text(page)
    before = await owner_connection.fetch("select ref, role, revoked_at from operators order by ref")
    assert (await send(client, f"{STAFF}/invitations", **KIM)).status_code == 403
    assert (await send(client, f"{STAFF}/{ref}/role", role="viewer")).status_code == 403
    assert (await send(client, f"{STAFF}/{ref}/remove")).status_code == 403
    assert (await client.get(f"{STAFF}/{ref}/remove")).status_code == 403
    assert (await send(client, f"{STAFF}/invitations/1/withdraw")).status_code == 403
    assert await owner_connection.fetch("select ref, role, revoked_at from operators order by ref") == before
    assert await owner_connection.fetchval("select count(*) from operator_invitations") == 0


async def test_a_system_owner_works_in_any_brand(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    owner = await log_in("system-owner")
    await send(owner, "/console/brand", brandRef="2")
    assert "Nobody yet." in page_text(await owner.get(STAFF))
    assert (await send(owner, f"{STAFF}/invitations", **KIM)).status_code == 303
    row = await owner_connection.fetchrow("select brand_ref from operator_invitations")
    entry = await owner_connection.fetchrow("select brand_ref, actor from audit_entries order by ref desc limit 1")
    assert row is not None
    assert entry is not None
    ref = await operator_ref(owner_connection, "system-owner")
    assert (row["brand_ref"], tuple(entry)) == (2, (2, f"operator:{ref}"))


async def test_staff_in_other_languages(admin: httpx.AsyncClient) -> None:
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in ("/console/overview", "/console/me", "/console/me/second-factor", STAFF):
            page = await admin.get(path)
            assert page.status_code == 200
            assert f'<html lang="{language}">' in page.text
