"""Everything that clients do at the same time: accounts with sites (whose hosts get certificates), editing, uploads,
converging calls, and a reader of the event feed. What was acknowledged is compared with the database at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Protocol

import httpx

from sitewright.demo.authority.service import Authority
from sitewright.sites.media.pictures.service import Format
from tests.chaos import editors
from tests.chaos.stage import journal_of
from tests.provisioning.accounts.calls import ACCOUNTS, holder
from tests.support.customers import Customer, make_customer
from tests.support.depth import THINK_SECONDS
from tests.support.eventually import eventually
from tests.support.journal import Journal
from tests.support.packages import PRO
from tests.support.pictures import picture
from tests.support.service import Service, owner_of
from tests.support.users import OwnerConnection

END_LEASES = (
    "update mails set next_attempt_at = now() where sent_at is null",
    "update domain_checks set due_at = now() where status is null and due_at is not null",
    "update automatic_certificates set due_at = now() where not_after is null and due_at is not null",
)
"""What a killed worker had claimed is done when its lease ends; here, immediately."""
PAGE = 100
WAIT_SECONDS = 1
PAUSE_SECONDS = 4 * THINK_SECONDS


class Hand(Protocol):
    """One client and its work."""

    async def work_once(self, client: httpx.AsyncClient) -> None: ...
    async def check(self, client: httpx.AsyncClient, rows: OwnerConnection) -> None: ...


class Uploads:
    """Pictures for one site."""

    def __init__(self, journal: Journal, customer: Customer) -> None:
        self._journal, self._path, self._site_ref = journal, f"{customer.path}/media", customer.site["ref"]
        self._picture = picture(Format.PNG)
        self._refs: list[int] = []

    async def work_once(self, client: httpx.AsyncClient) -> None:
        made = await self._journal.send(client, "POST", f"{self._path}?name=p.png", content=self._picture)
        self._refs.append(made["media"]["ref"])

    async def check(self, _client: httpx.AsyncClient, rows: OwnerConnection) -> None:
        """Each picture is there once."""
        found = [row["ref"] for row in await rows.fetch("select ref from media where site_ref = $1", self._site_ref)]
        assert sorted(found) == sorted(self._refs)


class Descriptions:
    """Accounts that are described again and again, by the converging call."""

    def __init__(self, journal: Journal) -> None:
        self._journal, self._name = journal, f"described-{journal.name}"
        self._described: dict[str, dict[str, Any]] = {}
        self._count = 0

    async def work_once(self, client: httpx.AsyncClient) -> None:
        self._count += 1
        name = f"{self._name}-{self._count // 3}"
        description = {
            "accountHolder": holder(firstName=f"Joe {self._count}", username=name, email=f"{name}@mail.example"),
            "package": {"packageRef": PRO, "billingFrequency": 12},
            "sites": [{"domain": f"www.{name}.example", "businessName": f"Bakery {self._count}", "published": True}],
            "metadata": {"count": f"C-{self._count}"},
        }
        await self._journal.send(client, "PUT", f"{ACCOUNTS}/{name}", description)
        self._described[name] = description

    async def check(self, client: httpx.AsyncClient, rows: OwnerConnection) -> None:
        """Each account is there once and as it was described last: a repetition changes nothing."""
        assert await rows.fetchval(_DESCRIBED, f"{self._name}-%") == len(self._described)
        for name, description in self._described.items():
            planned = await client.put(f"{ACCOUNTS}/{name}", json=description, params={"dryRun": "1"})
            assert planned.json()["changes"] == [], f"{name}: {planned.text}"


class Feed:
    """A reader that follows `next`, from the oldest event on."""

    def __init__(self, journal: Journal) -> None:
        self._journal, self._next = journal, ""
        self._sequences: list[int] = []

    async def work_once(self, client: httpx.AsyncClient) -> None:
        after = f"&after={self._next}" if self._next else ""
        page = await self._journal.send(client, "GET", f"/events?limit={PAGE}&wait={WAIT_SECONDS}{after}")
        self._sequences += [event["sequence"] for event in page["events"]]
        self._next = page["next"]

    async def check(self, client: httpx.AsyncClient, rows: OwnerConnection) -> None:
        """Read to the end: every event, once, in order and without gaps."""

        async def has_read_all() -> bool:
            await self.work_once(client)
            newest = await rows.fetchval(_NEWEST, self._journal.brand_ref)
            return bool(self._sequences and self._sequences[-1] == newest)

        await eventually(has_read_all)
        first = self._sequences[0]
        assert self._sequences == list(range(first, first + len(self._sequences)))
        assert len(self._sequences) == await rows.fetchval(_EVENTS, self._journal.brand_ref)


class MixedLoad:
    def __init__(self, service: Service, journal: Journal, notes: editors.Notes, hands: list[Hand]) -> None:
        self.service, self.journal, self.notes, self.hands = service, journal, notes, hands

    @property
    def acknowledged(self) -> int:
        return self.journal.acknowledged + self.notes.acknowledged

    async def more_is_acknowledged(self, count: int) -> None:
        """By the journal, and a few changes by editors: the load is mixed between any two kills."""
        enough, edits = self.journal.acknowledged + count, self.notes.acknowledged + 2
        await eventually(lambda: self.journal.acknowledged >= enough and self.notes.acknowledged >= edits)

    async def check(self, authority: Authority) -> None:
        ours = f"%{self.journal.name}%"
        async with self.service.client() as client, owner_of(self.service) as rows:
            await self.journal.check(rows)
            await editors.check(self.notes, rows)
            for hand in self.hands:
                await hand.check(client, rows)
            for statement in END_LEASES:
                await rows.execute(statement)
            await _everything_is_done(rows, ours)
            hosts = {row["name"] for row in await rows.fetch(_HOSTS, ours)}
        issued = [name for each in authority.issued for name in map(_group, each.names) if name in hosts]
        assert sorted(issued) == sorted(hosts), "every host has one certificate"


@asynccontextmanager
async def mixed_load(service: Service, *, clients: int) -> AsyncIterator[MixedLoad]:
    """During this context clients do all of it; at its end each completes what it has started."""
    journal, enough = journal_of(service), asyncio.Event()
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(service.client())
        customer = await make_customer(client, journal.brand_ref, f"pictures-{journal.name}.example", package_ref=PRO)
        hands: list[Hand] = [Uploads(journal, customer), Descriptions(journal), Feed(journal)]
        own = [await stack.enter_async_context(service.client()) for _ in range(clients + len(hands))]
        prefix = f"edited-{journal.name}"
        notes = await stack.enter_async_context(
            editors.editing(service, client, prefix, together=2, alone=clients, blocks=2)
        )
        await stack.enter_async_context(journal.kept_by(own[:clients]))
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        for hand, each in zip(hands, own[clients:], strict=True):
            tasks.create_task(_work(hand, each, enough.is_set))
        try:
            yield MixedLoad(service, journal, notes, hands)
        finally:
            enough.set()


async def _work(hand: Hand, client: httpx.AsyncClient, is_enough: Callable[[], bool]) -> None:
    while not is_enough():
        await hand.work_once(client)
        await asyncio.sleep(PAUSE_SECONDS)


def _group(host: str) -> str:
    """A name and its `www` share a certificate."""
    return host.removeprefix("www.")


async def _everything_is_done(rows: OwnerConnection, hosts: str) -> None:
    """As long as there is progress: after many kills it takes minutes."""
    while waiting := await _waiting(rows, hosts):
        await eventually(partial(_fewer_wait, rows, hosts, waiting))


async def _fewer_wait(rows: OwnerConnection, hosts: str, than: int) -> bool:
    return await _waiting(rows, hosts) < than


async def _waiting(rows: OwnerConnection, hosts: str) -> int:
    """Mails, jobs and certificates."""
    assert await rows.fetchval("select count(*) from mails where failed_at is not null") == 0
    count: int = await rows.fetchval(_WAITING, hosts)
    return count


_DESCRIBED = "select count(*) from users where username like $1"
_NEWEST = """
select case when not exists (select from event_inbox where brand_ref = $1)
            then (select last from event_sequences where brand_ref = $1) end
"""
_EVENTS = "select count(*) from events where brand_ref = $1"
_HOSTS = "select name from automatic_certificates where name like $1"
_WAITING = """
select (select count(*) from mails where sent_at is null) + (select count(*) from jobs.queue)
     + (select count(*) from automatic_certificates where not_after is null and name like $1)
"""
