"""A folded address finds accounts; it never decides where a reset link is mailed to."""

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.kit.text import key_of
from tests.accounts.mailed_links.conftest import LOGIN_LINK, NEW_PASSWORD, Mailbox, StoredMail, parameter
from tests.support.users import OwnerConnection, make_user

FOLD_ALIKE = {
    "sharp s": ("max@fußball.example", "max@fussball.example"),
    "final sigma": ("νίκος@mail.example", "νίκοσ@mail.example"),
    "long s": ("ſam@mail.example", "sam@mail.example"),
    "kelvin sign": ("\u212aate@mail.example", "kate@mail.example"),
    "ligature": ("\ufb01nn@mail.example", "finn@mail.example"),
    "composed and decomposed": ("ren\u00e9@mail.example", "rene\u0301@mail.example"),
    "case": ("Ann@Mail.example", "ann@mail.example"),
}
FOLD_APART = {
    "full width": ("\uff41nn@mail.example", "ann@mail.example"),
    "dotless i": ("k\u0131m@mail.example", "kim@mail.example"),
    "dotted capital I": ("\u0130nge@mail.example", "inge@mail.example"),
    "cyrillic a": ("\u0430nn@mail.example", "ann@mail.example"),
    "punycode": ("max@xn--fuball-cta.example", "max@fußball.example"),
}


async def two_accounts(owner: OwnerConnection, resources: Resources, addresses: tuple[str, str]) -> dict[str, str]:
    """Addresses by username."""
    for username, email in zip(("first", "second"), addresses, strict=True):
        await make_user(owner, resources, username=username, email=email)
    return dict(zip(("first", "second"), addresses, strict=True))


async def request_link(client: httpx.AsyncClient, mailbox: Mailbox, **whose: str) -> list[StoredMail]:
    response = await client.post("/users/forgotten-password", json={"loginLink": LOGIN_LINK} | whose)
    assert response.status_code == 204
    await mailbox.work()
    return await mailbox.mails()


def sent(mails: list[StoredMail]) -> list[tuple[str, list[str]]]:
    """The address of each mail, and the accounts its links are for."""
    return [(each.facts["to"], [link["username"] for link in each.facts["links"]]) for each in mails]


@pytest.mark.parametrize("addresses", FOLD_ALIKE.values(), ids=FOLD_ALIKE.keys())
async def test_each_account_found_gets_its_own_link_at_its_own_address(
    owner: httpx.AsyncClient,
    mailbox: Mailbox,
    owner_connection: OwnerConnection,
    resources: Resources,
    addresses: tuple[str, str],
) -> None:
    assert key_of(addresses[0]) == key_of(addresses[1])
    stored = await two_accounts(owner_connection, resources, addresses)
    mails = await request_link(owner, mailbox, email=addresses[1])
    assert sorted(sent(mails)) == sorted((address, [username]) for username, address in stored.items())


@pytest.mark.parametrize("addresses", FOLD_APART.values(), ids=FOLD_APART.keys())
async def test_addresses_that_only_look_alike_do_not_match(
    owner: httpx.AsyncClient,
    mailbox: Mailbox,
    owner_connection: OwnerConnection,
    resources: Resources,
    addresses: tuple[str, str],
) -> None:
    await two_accounts(owner_connection, resources, addresses)
    assert sent(await request_link(owner, mailbox, email=addresses[1])) == [(addresses[1], ["second"])]


@pytest.mark.parametrize("addresses", FOLD_ALIKE.values(), ids=FOLD_ALIKE.keys())
async def test_the_mail_goes_to_the_stored_address_not_to_the_typed_one(
    owner: httpx.AsyncClient,
    mailbox: Mailbox,
    owner_connection: OwnerConnection,
    resources: Resources,
    addresses: tuple[str, str],
) -> None:
    typed, stored = addresses
    await make_user(owner_connection, resources, username="victim", email=stored)
    assert sent(await request_link(owner, mailbox, email=typed)) == [(stored, ["victim"])]
    assert sent(await request_link(owner, mailbox, email=typed, username="VICTIM"))[1:] == [(stored, ["victim"])]


async def test_each_link_resets_only_its_own_account(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await two_accounts(owner_connection, resources, FOLD_ALIKE["sharp s"])
    [attacker, _] = await request_link(owner, mailbox, email="max@fussball.example")
    before = await _hashes(owner_connection)
    [link] = attacker.facts["links"]
    body = {"hash": parameter(link["url"], "h"), "password": NEW_PASSWORD}
    assert (await owner.post("/users/reset-password", json=body)).status_code == 204
    after = await _hashes(owner_connection)
    assert {name for name in before if before[name] != after[name]} == {link["username"]}


async def test_many_addresses_that_fold_alike_do_not_crowd_out_the_exact_one(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources
) -> None:
    for number in range(25):
        await make_user(owner_connection, resources, username=f"crowd{number}", email="max@fußball.example")
    await make_user(owner_connection, resources, username="victim", email="max@fussball.example")
    mails = sent(await request_link(owner, mailbox, email="max@fussball.example"))
    assert ("max@fussball.example", ["victim"]) in mails
    assert len(mails) == 20


async def _hashes(owner: OwnerConnection) -> dict[str, str]:
    return {row["username"]: row["password_hash"] for row in await owner.fetch("select * from users")}
