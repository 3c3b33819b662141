"""Records the statements that the service sends to the database for a call."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

from benchmarks.figures import MeasurementFailed
from benchmarks.service import Service
from benchmarks.signing import authorization
from sitewright.app import create_app
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit.db import Database
from sitewright.kit.pool import Connection
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from tests.support.database import with_database

_STANDARD_ERROR = 2


class Post(msgspec.Struct, frozen=True):
    path: str
    body: dict[str, Any]


class Statement(msgspec.Struct, frozen=True):
    text: str
    values: Sequence[Any] = ()


async def record(service: Service, brand_ref: int, warm_up: Post, posts: Sequence[Post]) -> list[list[Statement]]:
    """Send the requests to the service's app in this process; returns the statements of each, in order.

    `warm_up` is sent before them, since a new connection first queries types, which it then caches.
    """
    settings = Settings(data_dir=str(service.folder), workers=1)
    async with open_resources(
        settings, service.database_url, name="recording", lifecycle=LIFECYCLE, mail=MAIL
    ) as resources:
        connection = await resources.database.connect()
        statements: list[Statement] = []
        connection.add_query_logger(lambda logged: statements.append(Statement(logged.query, logged.args)))
        send = _sender(service, brand_ref, _with(resources, connection))
        with _requests_logged_to(service.folder / "recording.log"):
            await send(warm_up)
            recorded = []
            for post in posts:
                statements.clear()
                await send(post)
                recorded.append(list(statements))
        await connection.close()
    return recorded


def _with(resources: Resources, connection: Connection) -> Resources:
    async def connect() -> Connection:
        return connection

    return with_database(resources, Database(connect, connections=1, wait_seconds=1))


def _sender(service: Service, brand_ref: int, resources: Resources) -> Callable[[Post], Awaitable[None]]:
    transport, credentials = httpx.ASGITransport(create_app(resources)), service.credentials(brand_ref)

    async def send(post: Post) -> None:
        url = service.url + post.path
        headers = {"Authorization": authorization(credentials, "POST", url)}
        async with httpx.AsyncClient(transport=transport) as client:
            response = await client.post(url, json=post.body, headers=headers)
        if response.status_code != 200:
            raise MeasurementFailed(f"a recorded call returned {response.status_code}: {response.text[:200]}")
        await asyncio.sleep(0)  # asyncpg logs a statement in the next iteration of the event loop

    return send


@contextmanager
def _requests_logged_to(path: Path) -> Iterator[None]:
    """Silence the request log, which the service writes to file descriptor 2, not to sys.stderr."""
    kept = os.dup(_STANDARD_ERROR)
    with path.open("wb") as log:
        os.dup2(log.fileno(), _STANDARD_ERROR)
    try:
        yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        os.close(kept)
