"""The service's own queries in a plain ASGI handler. It uses asyncpg's pool, which resets a released connection in an
additional round trip."""

import os
from collections.abc import Awaitable, Callable
from typing import Any, cast

import asyncpg
import msgspec

from benchmarks.peers import CONNECTIONS, DATABASE_VARIABLE
from sitewright.accounts.users import presenters
from sitewright.accounts.users.schemas import AccountHolder
from sitewright.accounts.users.store import read_user
from sitewright.catalogue.packages.schemas import PackageFilter, Packages
from sitewright.catalogue.packages.service import list_packages
from sitewright.kit.db import Transaction
from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.tenants.brands.schemas import Languages
from sitewright.tenants.brands.store import list_languages

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
_encode = msgspec.json.Encoder().encode
BRAND = 1
USERS = "/users/"


async def _languages(connection: Transaction) -> msgspec.Struct:
    return Languages(await list_languages(connection, BRAND))


async def _packages(connection: Transaction) -> msgspec.Struct:
    packages, _ = await list_packages(connection, PackageFilter(), None)
    return Packages(packages)


READS = {f"/brands/{BRAND}/languages": _languages, f"/brands/{BRAND}/packages": _packages}


async def _user(connection: Transaction, ref: str) -> msgspec.Struct:
    row = await read_user(connection, int(ref), show_deleted=False)
    if row is None:
        raise LookupError(ref)
    return AccountHolder(presenters.details(row))


async def _read(path: str, connection: Transaction) -> msgspec.Struct:
    if path.startswith(USERS):
        return await _user(connection, path.removeprefix(USERS))
    return await READS[path](connection)


class BareApp:
    def __init__(self) -> None:
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._respond(scope, send)

    async def _respond(self, scope: dict[str, Any], send: Send) -> None:
        assert self._pool is not None  # noqa: S101 - uvicorn sends no request before the start-up is complete
        async with self._pool.acquire() as connection:
            body = _encode(await _read(scope["path"], cast("Transaction", connection)))
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._pool = await asyncpg.create_pool(
            os.environ[DATABASE_VARIABLE],
            min_size=CONNECTIONS,
            max_size=CONNECTIONS,
            server_settings={"role": SERVICE_ROLE, "sitewright.brand_ref": str(BRAND)},
        )
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._pool.close()
        await send({"type": "lifespan.shutdown.complete"})


app = BareApp()
