"""A running service in which canaries are planted, its callers, and every response they got."""

import asyncio
import email
import email.policy
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO

import httpx

from tests.secrets.canaries import Canary, invented
from tests.support.customers import done
from tests.support.eventually import eventually
from tests.support.receiver import Receiver, open_receiver
from tests.support.service import COMMAND, Service, started


class ExecutedService(Service):
    """With a command line of its own, which must not contain secrets either."""

    async def launch(self, log: BinaryIO, variables: dict[str, str]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *COMMAND, "serve", *self.options, env=variables, stdout=log, stderr=log
        )


class Installation:
    """`control` is planted where it may be visible, in every place: a search that misses it there proves nothing."""

    def __init__(self, service: Service, receiver: Receiver, control: Canary) -> None:
        self.service = service
        self.receiver = receiver
        self.control = control
        self.client, self.visitor = service.client(), service.client()
        self.visitor.auth = None  # type: ignore[assignment]
        self.canaries: list[Canary] = []
        self.responses: dict[str, bytes] = {}
        self._shown: dict[str, set[str]] = {}
        for each in (self.client, self.visitor):
            each.headers["X-Request-Id"] = control.text
            each.event_hooks = {"response": [*each.event_hooks["response"], self._record]}

    def plant(self, name: str, value: str | bytes | None = None) -> Canary:
        """A secret that is sent: no response may contain it."""
        canary = invented(name) if value is None else Canary(name, value)
        self.canaries.append(canary)
        return canary

    def shown(self, name: str, value: str | bytes) -> Canary:
        """A secret that the last response returned; only that one may contain it."""
        canary = self.plant(name, value)
        self.shown_again(canary)
        return canary

    def shown_again(self, canary: Canary) -> None:
        """The last response contains it on purpose: a replayed response, or a redirect."""
        place, content = list(self.responses.items())[-1]
        assert canary.value in content, f"{canary} is not in {place}"
        self._shown.setdefault(canary.name, set()).add(place)

    def is_shown(self, canary: str, place: str) -> bool:
        return place in self._shown.get(canary, ())

    async def _record(self, response: httpx.Response) -> None:
        await response.aread()
        place = f"response {len(self.responses)} to {response.request.method} {response.request.url.path[:60]}"
        headers = b"\n".join(name + b": " + value for name, value in response.headers.raw)
        self.responses[place] = headers + b"\n\n" + response.content

    async def expect(self, status: int, method: str, path: str, **options: Any) -> httpx.Response:
        response = await self.client.request(method, path, **options)
        assert response.status_code == status, f"{method} {path}: {response.status_code} {response.text}"
        return response

    async def visit(self, status: int, path: str, **options: Any) -> httpx.Response:
        """Without credentials: a GET, or a POST of a form."""
        method = "POST" if "data" in options else "GET"
        response = await self.visitor.request(method, path, **options)
        assert response.status_code == status, f"{method} {path}: {response.status_code} {response.text}"
        return response

    async def post(self, path: str, json: Any = None, **options: Any) -> Any:
        return await done(self.client.post(path, json=json, **options))

    async def mailed(self, kind: str, parameter: str, count: int = 1) -> str:
        """The value in the link of the newest mail of a kind, of which there must be this many."""
        folder = self.service.data_dir / "mail"

        def arrived() -> list[Path]:
            found = sorted(folder.glob(f"*-{kind}.eml"))
            return found if len(found) >= count else []

        files = await eventually(arrived)
        message = email.message_from_bytes(files[-1].read_bytes(), policy=email.policy.default)
        text = message.get_body(("plain",)).get_content()  # type: ignore[union-attr]
        value = re.search(rf"[?&]{parameter}=([\w.~-]+)", text)
        assert value is not None, text
        return value[1]


@asynccontextmanager
async def open_installation(folder: Path, **settings: object) -> AsyncIterator[Installation]:
    """The control is also part of the data folder's name, so that it appears in command lines."""
    control = invented("control")
    executed = ExecutedService(folder / control.text, **settings)
    async with started(executed) as service, open_receiver() as receiver:
        installation = Installation(service, receiver, control)
        async with installation.client, installation.visitor:
            yield installation
