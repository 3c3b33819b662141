"""Rate limit of wrong passwords by address and user name."""

import asyncio
import re

import httpx

from sitewright.kit.resources import Resources
from tests.support.browsing import browser, log_in, page_text
from tests.support.users import OwnerConnection, make_user


async def test_ten_failures_are_followed_by_429(anonymous: httpx.AsyncClient, user: int) -> None:
    statuses = [(await log_in(anonymous, "ann", "wrong password")).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    right = await log_in(anonymous, "ANN")
    assert right.status_code == 429
    assert 120 < int(right.headers["retry-after"]) <= 300, "five minutes less what ten guesses took"
    assert re.search(r"Too many wrong attempts. Try again in [2-5] minutes.", page_text(right))


async def test_concurrent_guesses_are_all_counted(anonymous: httpx.AsyncClient, user: int) -> None:
    guesses = [log_in(anonymous, "ann", f"wrong password {number}") for number in range(25)]
    statuses = sorted(response.status_code for response in await asyncio.gather(*guesses))
    assert statuses == [401] * 10 + [429] * 15


async def test_unknown_names_are_counted_too(anonymous: httpx.AsyncClient) -> None:
    statuses = [(await log_in(anonymous, "nobody")).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]


async def test_the_limit_does_not_affect_other_names_and_addresses(
    anonymous: httpx.AsyncClient, user: int, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await make_user(owner_connection, resources, username="bea")
    for _ in range(10):
        await log_in(anonymous, "ann", "wrong password")
    assert (await log_in(anonymous, "bea")).status_code == 303
    async with browser(resources, address="192.0.2.9") as elsewhere:
        assert (await log_in(elsewhere)).status_code == 303


async def test_the_right_password_clears_the_failures(anonymous: httpx.AsyncClient, user: int) -> None:
    for _ in range(2):
        for _ in range(9):
            assert (await log_in(anonymous, "ann", "wrong password")).status_code == 401
        assert (await log_in(anonymous)).status_code == 303


async def test_failures_expire_after_the_window(
    anonymous: httpx.AsyncClient, user: int, owner_connection: OwnerConnection
) -> None:
    for _ in range(10):
        await log_in(anonymous, "ann", "wrong password")
    await owner_connection.execute("update authentication_failures set failed_at = failed_at - interval '301 s'")
    assert (await log_in(anonymous)).status_code == 303


async def test_the_entered_name_is_not_stored(anonymous: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    """Users sometimes type their password there."""
    await log_in(anonymous, "zebedee1984")
    [kept] = await owner_connection.fetch("select key from authentication_failures")
    assert "zebedee" not in kept["key"]
