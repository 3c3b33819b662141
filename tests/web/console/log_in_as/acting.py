"""Operators who are logged in as an account holder: what the tests do and look at."""

import json
from typing import Any

import httpx

from sitewright.kit.housekeeping import SCHEDULES
from sitewright.kit.http.messages import COMMON
from sitewright.kit.resources import Resources
from tests.support.browsing import forms, page_text
from tests.support.operators import send
from tests.support.users import OwnerConnection

COOKIE = "sitewright"
HOUR = 3600
BANNER = "You are logged in as Ann Example."


async def log_in_as(client: httpx.AsyncClient, user_ref: int) -> httpx.Response:
    return await send(client, f"/console/customers/{user_ref}/log-in-as")


def assert_began(response: httpx.Response) -> None:
    assert (response.status_code, response.headers.get("location")) == (303, "/account"), response.text
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=1-as.")
    assert "Max-Age=3600; HttpOnly; SameSite=Lax" in cookie


def banner_in(language: str) -> str:
    text = COMMON[language]["banner"].partition("{time}")[0]
    return text.format(name="Ann Example", brand="Northwind Hosting", operator="support").strip()


async def has_access(client: httpx.AsyncClient) -> bool:
    response = await client.get("/account")
    if response.status_code == 200:
        assert BANNER in page_text(response)
        return True
    assert (response.status_code, response.headers["location"]) == (303, "/console")
    return False


async def end(client: httpx.AsyncClient) -> httpx.Response:
    return await client.post("/logout", data=forms(await client.get("/account"))["/logout"])


async def entries(owner: OwnerConnection) -> list[tuple[str, str, dict[str, Any]]]:
    rows = await owner.fetch(
        "select actor, action, details from audit_entries where subject = 'user' and action like '%log-in-as'"
        " order by ref"
    )
    return [(row["actor"], row["action"], json.loads(row["details"])) for row in rows]


async def operator_ref(owner: OwnerConnection, username: str = "support") -> int:
    ref: int = await owner.fetchval("select ref from operators where username = $1 and revoked_at is null", username)
    return ref


async def reasons(owner: OwnerConnection) -> list[str]:
    return [details["reason"] for _, action, details in await entries(owner) if action == "end-log-in-as"]


async def run_housekeeping(resources: Resources) -> None:
    for schedule in SCHEDULES:
        await schedule.run(resources)
