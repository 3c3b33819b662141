"""Callers that send requests with their own refs, with others' and with nonexistent ones, and compare the responses."""

import re
from collections.abc import Mapping
from typing import Any

import httpx
import msgspec

from sitewright.kit.http import Endpoint
from tests.isolation.estates import FIRST
from tests.isolation.matrix import Cell
from tests.isolation.requests import Request, RequestVariant, request_for
from tests.isolation.slots import Slot
from tests.isolation.world import Actor, World

OF_THE_MOMENT = {"date", "content-length"}
FORM_TOKEN = re.compile(r'(?<=name="token" value=")[0-9a-f]+')
"""Masked with other random bytes on each page."""
ICON = re.compile("<svg.*?</svg>", re.DOTALL)
"""Drawings consist of numbers, which are no refs."""
TEST_CLOCK = re.compile('<p class="console-test">.*?</p>')
"""The brand's time."""
NUMBERS = re.compile(rf"\d{{{len(str(FIRST))}}}")


class Seen(msgspec.Struct, frozen=True):
    """A response, without the refs that were requested."""

    status: int
    headers: dict[str, str]
    body: str


class Caller:
    """An actor with its client. Counts its requests."""

    def __init__(self, actor: Actor, client: httpx.AsyncClient, world: World) -> None:
        self.actor, self.client, self.world = actor, client, world
        self.calls = 0
        self._nonexistent: dict[tuple[str, tuple[Slot, ...]], Seen] = {}

    async def differs(self, cell: Cell) -> str | None:
        """How the response differs from that to nonexistent refs; None if it does not."""
        foreign = await self.response_to(cell.variant, cell.slots, self.world.foreign(cell.reason))
        nonexistent = await self.nonexistent(cell.variant, cell.slots)
        if foreign != nonexistent:
            return f"{self.actor.name}, {cell.name}:\n  {foreign}\n  nonexistent: {nonexistent}"
        if foreign.status < 300 and not cell.variant.may_succeed:
            return f"{self.actor.name}, {cell.name} was done: {foreign}"
        return None

    async def nonexistent(self, variant: RequestVariant, slots: tuple[Slot, ...]) -> Seen:
        """Requested once, since the world does not change."""
        key = variant.name, slots
        if key not in self._nonexistent:
            self._nonexistent[key] = await self.response_to(variant, slots, self.world.nonexistent)
        return self._nonexistent[key]

    async def response_to(self, variant: RequestVariant, slots: tuple[Slot, ...], refs: Mapping[str, Any]) -> Seen:
        asked = {slot: refs[slot.kind] for slot in slots}
        return without_refs(await self.send(variant, asked), asked)

    async def send(self, variant: RequestVariant, changed: Mapping[Slot, Any]) -> httpx.Response:
        """Send with the caller's own refs, except those that are `changed`."""
        self.calls += 1
        own = self.world.own(self.actor)
        request = request_for(variant, {**{slot: own[slot.kind] for slot in variant.always}, **changed})
        headers = {**self.actor.headers, **request.headers}
        if request.body is None:
            form = None if request.file is None else {"file": request.file}
            return await self.client.request(
                request.method, request.path, params=request.query, headers=headers, files=form
            )
        return await self._send_body(request, headers, request.body)

    async def _send_body(self, request: Request, headers: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        return await self.client.request(request.method, request.path, params=request.query, headers=headers, json=body)

    async def misses(self, variant: RequestVariant, slots: tuple[Slot, ...]) -> str | None:
        """What is wrong with the response to the caller's own refs, including those in `slots`."""
        own = {slot: self.world.own(self.actor)[slot.kind] for slot in slots}
        response = await self.send(variant, own)
        what = f"{self.actor.name}, {variant.name} with {[slot.name for slot in slots]}"
        if isinstance(variant.route, Endpoint) and response.status_code not in successes_of(variant.route):
            return f"{what}: {response.status_code} {response.text}"
        if leaked := self._leaked(variant, response):
            return f"{what} contains {leaked}"
        if (
            own
            and not variant.reveals_nothing
            and without_refs(response, own) == await self.nonexistent(variant, slots)
        ):
            return f"{what} gets the response to a nonexistent one"
        return None

    def _leaked(self, variant: RequestVariant, response: httpx.Response) -> set[str]:
        """What a response must not contain: others' marks and refs, and the refs of deleted objects."""
        numbers = {int(number) for number in NUMBERS.findall(response.text)}
        marks, refs = self.world.hidden_from(self.actor, deleted=not variant.reaches_deleted)
        return {mark for mark in marks if mark in response.text} | {str(ref) for ref in refs & numbers}


def without_refs(response: httpx.Response, asked: Mapping[Slot, Any]) -> Seen:
    headers = {name: value for name, value in response.headers.items() if name not in OF_THE_MOMENT}
    body = TEST_CLOCK.sub("", FORM_TOKEN.sub("", ICON.sub("", response.text)))
    for slot, ref in asked.items():
        for each in ref if isinstance(ref, list) else [ref]:
            body = re.sub(rf"(?<!\w){re.escape(str(each))}(?!\w)", f"<{slot.name}>", body)
    return Seen(response.status_code, headers, body)


def successes_of(endpoint: Endpoint) -> set[int]:
    also = {201} if endpoint.may_create else {202} if endpoint.may_continue else set()
    return {endpoint.status, *also}
