"""An account holder with a domain, a mail server that records its mailboxes, and the worker's jobs on request."""

from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.domains.mailboxes import mail_server
from sitewright.domains.mailboxes.mail_server import MailboxId, MailboxSpec
from sitewright.kit.resources import Resources
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.queued import Worker
from tests.support.users import OwnerConnection, make_user

PASSWORD = {"password": "correct horse"}
DOMAIN = "example.com"


class Holder(msgspec.Struct, frozen=True):
    user_ref: int
    domain_ref: int

    @property
    def path(self) -> str:
        return f"/users/{self.user_ref}/domains/{self.domain_ref}/mailboxes"


@pytest.fixture
async def ann(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Holder:
    """On the free package, which has two mailboxes."""
    user_ref = await make_user(owner_connection, resources, OWN_BRAND)
    return Holder(user_ref, await make_account_domain(owner_connection, OWN_BRAND, user_ref, DOMAIN))


@pytest.fixture
def worker(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Worker:
    return Worker(owner_connection, resources)


class RecordingServer:
    """Records the mailboxes it was given, and raises the error that a test sets."""

    def __init__(self) -> None:
        self.known: dict[MailboxId, tuple[str, str]] = {}
        self.error: Exception | None = None
        self.during_call: Any = None

    async def provision(self, spec: MailboxSpec) -> None:
        if self.during_call is not None:
            callback, self.during_call = self.during_call, None
            await callback()
        if self.error is not None:
            raise self.error
        self.known[spec.id] = (spec.address, spec.password_hash)

    async def deprovision(self, mailbox: MailboxId) -> None:
        self.known.pop(mailbox, None)

    @property
    def addresses(self) -> list[str]:
        return sorted(address for address, _ in self.known.values())


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    """Replaces the built-in one."""
    before, server = mail_server.current(), RecordingServer()
    mail_server.use(server)
    yield server
    mail_server.use(before)


async def put(client: httpx.AsyncClient, holder: Holder, user: str, **body: Any) -> httpx.Response:
    return await client.put(f"{holder.path}/{user}", json=PASSWORD | body)


async def listed(client: httpx.AsyncClient, holder: Holder) -> dict[str, str]:
    response = await client.get(holder.path)
    assert response.status_code == 200
    return {each["user"]: each["status"] for each in response.json()["mailboxes"]}
