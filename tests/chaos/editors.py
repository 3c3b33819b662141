"""Editors of sites, who type as the editor's script sends it: one change at a time, repeated with its id until a
response comes, with the version of the block that they saw."""

import asyncio
import random
import uuid
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support.customers import Customer, done, make_customer
from tests.support.depth import THINK_SECONDS
from tests.support.http_clients import http_client
from tests.support.service import Service
from tests.support.users import OwnerConnection

AGAIN_SECONDS = 0.1
ADDS = 0.1
"""The share of changes that add a block."""
TAKES_OVER = 0.5
"""How often an editor whose block was changed by somebody else overwrites it, after being told."""


@dataclass(frozen=True)
class Write:
    """An acknowledged change of a block's text: what the editor saw there, and what it is now."""

    editor: str
    seen: str
    text: str
    was_told: bool
    """Whether the service told this editor of a text by somebody else before it was overwritten."""


@dataclass
class Notes:
    """What all editors together were acknowledged, and told."""

    writes: dict[int, list[Write]] = field(default_factory=lambda: defaultdict(list))
    first: dict[int, str] = field(default_factory=dict)
    """The texts of the blocks before anybody edited them."""
    added: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    heard: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    """Changes that were acknowledged only by a repetition."""

    @property
    def acknowledged(self) -> int:
        return len(self.ids)


class SiteEditor:
    """One window of the editor, with its own session."""

    def __init__(self, name: str, customer: Customer, client: httpx.AsyncClient, notes: Notes) -> None:
        self.name, self.customer, self.client, self.notes = name, customer, client, notes
        self.base = f"/account/sites/{customer.site['ref']}/edit"
        self.session = uuid.uuid4().hex
        self.chance = random.Random(name)  # noqa: S311 - the same every time
        self.seen: dict[int, tuple[str, str]] = {}
        """The etag and the text of each block."""
        self.told: set[str] = set()
        """Texts of others that the service notified of, by a conflict or when the content was loaded."""
        self.page_ref = 0
        self.count = 0

    async def log_in(self) -> None:
        path = f"/users/{self.customer.user_ref}/auto-login"
        secret = (await done(self.customer.client.post(path, json={})))["hash"]
        assert (await self.client.get(f"/login?hash={secret}&r=/account")).status_code in (302, 303)
        self.token = (await done(self.client.get(f"{self.base}/token")))["token"]
        content = (await done(self.client.get(f"{self.base}/content")))["content"]
        self.page_ref = content["pages"][0]["ref"]
        for widget in content["widgets"]:
            self._see(widget)
            self.told.add(widget["values"]["text"])
            self.notes.first.setdefault(widget["ref"], widget["values"]["text"])

    def _see(self, widget: dict[str, Any]) -> None:
        self.seen[widget["ref"]] = widget["etag"], widget["values"]["text"]

    async def edit(self, is_enough: Callable[[], bool]) -> None:
        while not is_enough():
            if self.chance.random() < ADDS:
                await self._add()
            else:
                await self._type()
            await asyncio.sleep(THINK_SECONDS)

    def _new_text(self) -> str:
        self.count += 1
        return f"{self.name} wrote {self.count}"

    async def _add(self) -> None:
        text = self._new_text()
        place = {"pageRef": self.page_ref, "parentId": "page-zones__main", "position": 0}
        change = {"kind": "addWidget", "type": "widget.heading", "values": {"text": text}} | place
        status, _, _ = await self._send(change)
        assert status == 200
        self.notes.added.append(text)

    async def _type(self) -> None:
        ref = self.chance.choice(sorted(self.seen))
        text = self._new_text()
        while True:
            etag, seen = self.seen[ref]
            change = {"kind": "setValues", "widgetRef": ref, "etag": etag, "values": {"text": text}}
            status, body, is_repetition = await self._send(change)
            if status == 200:
                self.notes.writes[ref].append(Write(self.name, seen, text, seen in self.told))
                [now] = [each for each in body["items"] if each["ref"] == ref]
                self._note_others(now, text, is_repetition=is_repetition)
                return
            self._note_others(body["current"], text)
            if self.chance.random() >= TAKES_OVER:
                return

    def _note_others(self, widget: dict[str, Any], text: str, *, is_repetition: bool = True) -> None:
        """The service shows the block as it is now. Only a conflict or a repetition may show somebody else's text."""
        current = widget["values"]["text"]
        assert is_repetition or current == text
        self._see(widget)
        if current != text:
            self.told.add(current)

    async def _send(self, change: dict[str, Any]) -> tuple[int, dict[str, Any], bool]:
        """Repeat until there is a response: 200, or 409 where somebody else changed the block."""
        change_id, attempts = uuid.uuid4().hex, 0
        body = {"id": change_id, "session": self.session, "merge": 0, "change": change}
        while True:
            attempts += 1
            try:
                response = await self.client.post(
                    f"{self.base}/changes", json=body, headers={"X-Form-Token": self.token}
                )
            except httpx.TransportError as error:
                self.notes.heard[type(error).__name__] += 1
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self.notes.heard[str(response.status_code)] += 1
            if response.status_code == 200:
                self.notes.ids.append(change_id)
                self.notes.repeated += attempts > 1
                return 200, response.json(), attempts > 1
            if response.status_code == 409:
                assert response.json()["code"] == "contentChanged", response.text
                return 409, response.json(), False
            assert response.status_code == 503, response.text
            assert response.headers["retry-after"].isdigit()
            await asyncio.sleep(AGAIN_SECONDS)


@asynccontextmanager
async def editing(
    service: Service, client: httpx.AsyncClient, prefix: str, *, together: int, alone: int, blocks: int
) -> AsyncIterator[Notes]:
    """During this context `together` editors edit one site, and `alone` others one site each."""
    notes = Notes()
    async with AsyncExitStack() as stack:
        editors = []
        for number, count in enumerate([together] + [1] * alone):
            customer = await _make_site(client, f"{prefix}-{number}.example", blocks)
            for window in range(count):
                own = await stack.enter_async_context(http_client(service.api_url))
                editors.append(SiteEditor(f"editor {number}/{window}", customer, own, notes))
                await editors[-1].log_in()
        enough = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for editor in editors:
                tasks.create_task(editor.edit(enough.is_set))
            try:
                yield notes
            finally:
                enough.set()


async def _make_site(client: httpx.AsyncClient, host: str, blocks: int) -> Customer:
    customer = await make_customer(client, 1, host)
    page = await customer.add_page("home", "Home")
    for number in range(blocks):
        await customer.add_widget(page, "heading", f"h{number}", text=f"{host} block {number}")
    return customer


async def check(notes: Notes, rows: OwnerConnection) -> None:
    """Compare with the database: nothing acknowledged is lost, nothing is there twice, nobody overwrote silently."""
    texts = {row["widget_ref"]: row["value"] for row in await rows.fetch(_TEXTS, list(notes.first))}
    for ref, first in notes.first.items():
        _check_chain(notes.writes[ref], first, texts[ref])
    found = Counter({row["value"]: row["count"] for row in await rows.fetch(_COPIES, notes.added)})
    assert found == Counter(notes.added)
    recorded = Counter({row["change_id"]: row["count"] for row in await rows.fetch(_CHANGES, notes.ids)})
    assert recorded == Counter(notes.ids)


def _check_chain(writes: list[Write], first: str, last: str) -> None:
    """Each write replaced the text that its editor saw: from the first to the last one they are one chain."""
    following = {write.seen: write for write in writes}
    assert len(following) == len(writes), "two writes replaced the same text"
    text, author = first, None
    for _ in writes:
        write = following[text]
        assert author in (None, write.editor) or write.was_told, f"{write} overwrote {text} silently"
        text, author = write.text, write.editor
    assert text == last


_TEXTS = "select widget_ref, value from widget_values where widget_ref = any($1) and name = 'text'"
_COPIES = "select value, count(*) from widget_values where value = any($1) group by value"
_CHANGES = "select change_id, count(*) from content_changes where change_id = any($1) group by change_id"
