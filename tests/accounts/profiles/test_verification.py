"""A profile's e-mail address must be proven by a mailed link before visitors' messages go there."""

import asyncio
import re
from typing import Any

import httpx
import pytest

from sitewright.accounts.profiles import service as profiles
from sitewright.kit import clock, mail
from sitewright.kit.resources import Resources
from tests.sites.sites.shapes import create_site
from tests.support.cast import OWN_BRAND
from tests.support.rendered_mails import rendered
from tests.support.users import OwnerConnection, make_user

SHOP = "shop@mail.example"
OTHER = "victim@mail.example"


class Profile:
    """A profile of a new site, what is mailed for it, and the page that verifies it."""

    def __init__(
        self, owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, rows: OwnerConnection, resources: Resources
    ) -> None:
        self._owner, self._anonymous, self.rows, self._resources = owner, anonymous, rows, resources
        self.user_ref = self.ref = 0

    async def make(self, **columns: Any) -> "Profile":
        self.user_ref = await make_user(self.rows, self._resources, **columns)
        self.ref = (await create_site(self._owner, self.user_ref, f"{self.user_ref}.example"))["profileRef"]
        return self

    async def set_email(self, address: str) -> None:
        path = f"/users/{self.user_ref}/profiles/{self.ref}"
        response = await self._owner.put(path, json={"fields": {"email": address}})
        assert response.status_code == 200

    async def sent(self) -> list[dict[str, Any]]:
        rows = await self.rows.fetch("select facts from mails where kind = 'profileVerification' order by ref")
        return [mail.open_facts(self._resources.sealer, OWN_BRAND, row["facts"]) for row in rows]

    async def recipient(self) -> str | None:
        async with self._resources.database.transaction(OWN_BRAND) as tx:
            return await profiles.verified_address(tx, self.ref)

    async def follow(self, link: dict[str, Any]) -> int:
        """Opens the link, and presses the button of the page."""
        page = await self._anonymous.get("/verify-email", params=httpx.URL(link["url"]).params)
        assert page.status_code == 200
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', page.text))
        return (await self._anonymous.post("/verify-email", data=fields)).status_code


@pytest.fixture
async def profile(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> Profile:
    return await Profile(owner, anonymous, owner_connection, resources).make()


async def test_an_address_is_used_once_its_link_was_confirmed(profile: Profile) -> None:
    await profile.set_email(SHOP)
    [link] = await profile.sent()
    assert (link["to"], await profile.recipient()) == (SHOP, None)
    assert (await profile.follow(link), await profile.recipient()) == (200, SHOP)
    assert (await profile.follow(link), await profile.recipient()) == (400, SHOP)


async def test_opening_the_link_changes_nothing(profile: Profile, anonymous: httpx.AsyncClient) -> None:
    await profile.set_email(SHOP)
    [link] = await profile.sent()
    for method in ("GET", "HEAD"):
        response = await anonymous.request(method, "/verify-email", params=httpx.URL(link["url"]).params)
        assert response.status_code == 200
    assert await profile.recipient() is None


async def test_a_link_to_one_address_does_not_verify_another(profile: Profile) -> None:
    await profile.set_email(SHOP)
    [link] = await profile.sent()
    await profile.set_email(OTHER)
    assert (await profile.follow(link), await profile.recipient()) == (400, None)


async def test_a_changed_address_must_be_verified_again(profile: Profile) -> None:
    await profile.set_email(SHOP)
    assert await profile.follow((await profile.sent())[0]) == 200
    await profile.set_email(SHOP.upper())
    assert (await profile.recipient(), len(await profile.sent())) == (None, 2)


async def test_a_link_is_invalid_for_another_profile(
    profile: Profile, owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources
) -> None:
    another = await Profile(owner, anonymous, profile.rows, resources).make(username="bob")
    await profile.set_email(SHOP)
    await another.set_email(SHOP)
    [link, _] = await profile.sent()
    stolen = {"url": link["url"].replace(f"profileRef={profile.ref}", f"profileRef={another.ref}")}
    assert (await another.follow(stolen), await another.recipient()) == (400, None)


async def test_of_concurrent_verifications_one_succeeds(profile: Profile) -> None:
    await profile.set_email(SHOP)
    [link] = await profile.sent()
    statuses = await asyncio.gather(*(profile.follow(link) for _ in range(5)))
    assert sorted(statuses) == [200, 400, 400, 400, 400]


async def test_a_link_expires_after_a_day(profile: Profile) -> None:
    await profile.set_email(SHOP)
    [link] = await profile.sent()
    clock.shift(24 * 3600 + 1)
    assert (await profile.follow(link), await profile.recipient()) == (400, None)


async def test_at_most_five_mails_an_hour(profile: Profile) -> None:
    for number in range(7):
        await profile.set_email(f"{number}@mail.example")
    assert len(await profile.sent()) == 5
    clock.shift(3601)
    await profile.set_email(SHOP)
    assert len(await profile.sent()) == 6


@pytest.mark.parametrize(("is_verified", "recipient"), [(True, "ann@mail.example"), (False, None)])
async def test_the_account_holders_own_address_needs_no_link(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    is_verified: bool,
    recipient: str | None,
) -> None:
    verified_at = clock.now() if is_verified else None
    profile = await Profile(owner, anonymous, owner_connection, resources).make(email_verified_at=verified_at)
    await profile.set_email("ann@mail.example")
    assert (await profile.sent(), await profile.recipient()) == ([], recipient)


@pytest.mark.parametrize("address", ["", "no address", "a@b"])
async def test_no_mail_is_sent_to_an_invalid_address(profile: Profile, address: str) -> None:
    await profile.set_email(address)
    assert (await profile.sent(), await profile.recipient()) == ([], None)


async def test_the_mail_contains_no_text_of_the_account_holder(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    profile = Profile(owner, anonymous, owner_connection, resources)
    await profile.make(first_name="Win at evil.example", username="click evil.example")
    await profile.set_email(OTHER)
    ref = await owner_connection.fetchval("select ref from mails where kind = 'profileVerification'")
    [outgoing] = await rendered(resources, [ref])
    assert outgoing.message.recipient == OTHER
    assert b"evil" not in outgoing.message.content


async def test_anonymizing_erases_the_address_and_revokes_its_links(profile: Profile, owner: httpx.AsyncClient) -> None:
    await profile.set_email(SHOP)
    [link] = await profile.sent()
    assert await profile.follow(link) == 200
    await profile.set_email(OTHER)
    [_, second] = await profile.sent()
    assert (await owner.post(f"/users/{profile.user_ref}/anonymise")).status_code == 204
    row = await profile.rows.fetchrow("select fields::text, verified_email from profiles where ref = $1", profile.ref)
    assert row is not None
    assert (SHOP in row["fields"] or OTHER in row["fields"], row["verified_email"]) == (False, None)
    assert await profile.follow(second) == 400


@pytest.mark.parametrize("sent", [{}, {"token": "x"}, {"token": "1-x", "profileRef": "1"}, {"token": "999-x" * 30}])
async def test_an_invalid_link_is_rejected(anonymous: httpx.AsyncClient, sent: dict[str, str]) -> None:
    assert (await anonymous.get("/verify-email", params=sent)).status_code == 200
    response = await anonymous.post("/verify-email", data={"token": "", **sent})
    assert (response.status_code, "no longer works" in response.text) == (400, True)
