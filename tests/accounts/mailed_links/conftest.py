"""The mails of the outbox, and the worker's jobs run on demand."""

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
import pytest

from sitewright.kit import mail
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.queued import queued_jobs, run_queued_jobs
from tests.support.users import OwnerConnection, make_user

LOGIN_LINK = "https://shop.example/login"
NEW_PASSWORD = "another long password"


class StoredMail(msgspec.Struct):
    kind: str
    user_ref: int
    facts: dict[str, Any]


class Mailbox:
    """The mails that the service has queued."""

    def __init__(self, owner: OwnerConnection, resources: Resources) -> None:
        self._owner = owner
        self._resources = resources

    async def waiting_jobs(self) -> list[bytes]:
        return [row["payload"] for row in await self._owner.fetch("select payload from jobs.queue order by id")]

    async def work(self) -> None:
        """Run all queued jobs one after the other, as the worker does."""
        await run_queued_jobs(self._owner, self._resources)

    async def work_at_once(self, times: int) -> None:
        """Run each queued job several times, all concurrently."""
        await asyncio.gather(*(job() for job in await queued_jobs(self._owner, self._resources) * times))

    async def mails(self) -> list[StoredMail]:
        rows = await self._owner.fetch("select kind, user_ref, brand_ref, facts from mails order by ref")
        return [
            StoredMail(
                row["kind"], row["user_ref"], mail.open_facts(self._resources.sealer, row["brand_ref"], row["facts"])
            )
            for row in rows
        ]

    async def reset_hash(self, client: httpx.AsyncClient, **whose: str) -> str:
        """The hash of the newest mail, after the client requested one."""
        response = await client.post("/users/forgotten-password", json={"loginLink": LOGIN_LINK} | whose)
        assert response.status_code == 204
        await self.work()
        return parameter((await self.mails())[-1].facts["links"][0]["url"], "h")

    async def verification_token(self, client: httpx.AsyncClient, user_ref: int) -> str:
        body = {"verificationUrl": "https://shop.example/verify"}
        response = await client.post(f"/users/{user_ref}/send-verification-email", json=body)
        assert response.status_code == 204
        return parameter((await self.mails())[-1].facts["url"], "token")


def parameter(url: str, name: str) -> str:
    [value] = parse_qs(urlsplit(url).query)[name]
    return value


@pytest.fixture
def mailbox(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Mailbox:
    return Mailbox(owner_connection, resources)


@pytest.fixture
async def ann(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources, OWN_BRAND)
