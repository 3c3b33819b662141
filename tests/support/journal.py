"""A client that keeps a journal of what it sent, what was acknowledged, and which errors it saw.

Every POST has an Idempotency-Key and is retried with the same key until it succeeds. So every write of the journal is
acknowledged in the end, and must be in the database exactly once.
"""

import asyncio
import random
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import httpx

from tests.support.customers import new_user
from tests.support.depth import THINK_SECONDS
from tests.support.users import OwnerConnection

AGAIN_SECONDS = 0.1
GAVE_UP = "gave up"
OF_OUR_OWN = {GAVE_UP, "409"}
"""Statuses and errors that occur without any fault: clients sometimes abort a request and retry before it is done."""
IMPATIENT = 0.1
PATIENCE_OF_IMPATIENT = 0.05
IN_PROGRESS = "idempotencyInProgress"


@dataclass
class Account:
    """What was acknowledged about one user, in order."""

    username: str
    ref: int = 0
    first_name: str = "Ann"
    packages: list[int] = field(default_factory=list)
    site_ref: int | None = None
    versions: list[int] = field(default_factory=list)


@dataclass
class Journal:
    brand_ref: int
    packages: list[int]
    """Assigned one after the other, each more expensive than the one before."""
    name: str = field(default_factory=lambda: f"journal-{uuid.uuid4().hex[:8]}")
    accounts: list[Account] = field(default_factory=list)
    acknowledged: int = 0
    replayed: int = 0
    """How often a retry returned the response of an earlier attempt that was lost."""
    chance: random.Random = field(default_factory=lambda: random.Random(9))  # noqa: S311 - the same every time
    heard: Counter[str] = field(default_factory=Counter)
    """Statuses, and the kinds of errors without a response."""

    @asynccontextmanager
    async def kept_by(self, clients: list[httpx.AsyncClient]) -> AsyncIterator[None]:
        """During this context each client writes and reads; at its end it completes what it has started."""
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as hands:
            for client in clients:
                hands.create_task(self._write_and_read(client, enough.is_set))
            try:
                yield
            finally:
                enough.set()

    async def _write_and_read(self, client: httpx.AsyncClient, is_enough: Callable[[], bool]) -> None:
        while not is_enough():
            await self.write_account(client)

    async def write_account(self, client: httpx.AsyncClient) -> None:
        name = f"{self.name}-{uuid.uuid4().hex[:16]}"
        account = Account(name)
        body = new_user(brandRef=self.brand_ref, username=name, email=f"{name}@mail.example")
        made = await self.send(client, "POST", "/users", body)
        account.ref = made["accountHolder"]["ref"]
        self.accounts.append(account)
        path = f"/users/{account.ref}"
        for package_ref in self.packages:
            body = {"packageRef": package_ref, "billingFrequency": 1}
            await self.send(client, "POST", f"{path}/account-packages", body)
            account.packages.append(package_ref)
            await self.send(client, "PUT", path, {"firstName": f"Ann {package_ref}"})
            account.first_name = f"Ann {package_ref}"
            shown = (await self.send(client, "GET", path))["accountHolder"]
            assert (shown["ref"], shown["firstName"]) == (account.ref, account.first_name)
        await self._publish(client, account)

    async def _publish(self, client: httpx.AsyncClient, account: Account) -> None:
        body = {"accountHolderRef": account.ref, "brandRef": self.brand_ref, "domain": f"{account.username}.example"}
        account.site_ref = (await self.send(client, "POST", "/sites", body))["site"]["ref"]
        for _ in range(2):
            published = await self.send(client, "POST", f"/sites/{account.site_ref}/publish")
            account.versions.append(published["versionRef"])

    async def send(
        self, client: httpx.AsyncClient, method: str, path: str, body: object = None, *, content: bytes | None = None
    ) -> Any:
        """Retry until it succeeds. Only a 503 with Retry-After, or a missing response, is a reason to wait."""
        headers = {"Idempotency-Key": uuid.uuid4().hex} if method == "POST" else {}
        patience: Any = client.timeout
        if method == "POST" and self.chance.random() < IMPATIENT:
            patience = PATIENCE_OF_IMPATIENT
        while True:
            try:
                response = await client.request(
                    method, path, json=body, content=content, headers=headers, timeout=patience
                )
            except httpx.TimeoutException:
                self.heard[GAVE_UP] += 1
                patience = client.timeout
                continue
            except httpx.TransportError as error:
                self.heard[type(error).__name__] += 1
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self.heard[str(response.status_code)] += 1
            if response.is_success:
                self.acknowledged += method != "GET"
                self.replayed += "idempotency-replayed" in response.headers
                await asyncio.sleep(THINK_SECONDS)
                return response.json()
            assert _is_to_be_repeated(response), f"{method} {path}: {response.status_code} {response.text}"
            await asyncio.sleep(AGAIN_SECONDS)

    async def check(self, rows: OwnerConnection) -> None:
        """Compare with the database: no acknowledged write is missing or duplicated."""
        found = await self.find(rows)
        assert set(found) == {account.username for account in self.accounts}
        for account in self.accounts:
            row = found[account.username]
            assert row["count"] == 1
            assert (row["ref"], row["first_name"]) == (account.ref, account.first_name)
            assert row["packages"] == account.packages
            assert row["sites"] == ([] if account.site_ref is None else [account.site_ref])
            assert (row["versions"] or []) == account.versions == list(range(1, len(account.versions) + 1))

    async def find(self, rows: OwnerConnection) -> dict[str, asyncpg.Record]:
        """What a database holds of its accounts, by user name."""
        return {row["username"]: row for row in await rows.fetch(_FOUND, f"{self.name}-%")}


def _is_to_be_repeated(response: httpx.Response) -> bool:
    """The 409: the previous attempt lost its response, and its transaction is still running or being rolled back."""
    if response.status_code == 409:
        return bool(response.json()["code"] == IN_PROGRESS)
    return response.status_code == 503 and response.headers.get("retry-after", "").isdigit()


_FOUND = """
select u.username, count(*) over (partition by u.username_key), u.ref, u.first_name,
       array(select e.package_ref from lifecycle_events e
             where e.brand_ref = u.brand_ref and e.user_ref = u.ref and e.kind <> 'registration' order by e.ref)
           as packages,
       array(select s.ref from sites s where s.brand_ref = u.brand_ref and s.user_ref = u.ref) as sites,
       array(select (a.details->>'versionRef')::int from audit_entries a join sites s on s.ref = a.subject_ref
             where a.brand_ref = u.brand_ref and s.user_ref = u.ref and a.subject = 'site' and a.action = 'publish'
             order by a.ref) as versions
from users u where u.username like $1
"""
