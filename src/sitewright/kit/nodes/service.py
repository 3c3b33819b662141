"""Heartbeats of processes: each says every 15 seconds that it runs, and in which version."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Literal

from sitewright import __version__
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.nodes import store
from sitewright.kit.nodes.store import Node
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources

__all__ = ["LATE_AFTER", "Kind", "Node", "heartbeat", "list_nodes"]

SECONDS = 15.0
LATE_AFTER = timedelta(seconds=60)
"""A process that was not seen for longer hangs, is cut off from the database, or was killed."""
FORGOTTEN_AFTER = timedelta(days=1)
LAST_SECONDS = 2.0
"""How long a process that ends tries to say so."""
Kind = Literal["api", "edge", "worker"]
_log = logging.getLogger("sitewright.nodes")


async def list_nodes(connection: Transaction) -> list[Node]:
    """Every process that was seen within a day and has not ended, by host."""
    return await store.list_nodes(connection)


@asynccontextmanager
async def heartbeat(resources: Resources, kind: Kind) -> AsyncIterator[None]:
    """While the block runs, this process is listed; what its callers used is written along."""
    beats = Heartbeat(resources, kind)
    task = asyncio.create_task(beats.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await beats.end()


class Heartbeat:
    def __init__(self, resources: Resources, kind: Kind) -> None:
        self._resources = resources
        self._kind: Kind = kind
        self._ref: int | None = None

    async def run(self) -> None:
        while True:
            try:
                await self.beat()
            except Problem:  # logged by the database; the next beat tries again
                pass
            except Exception:
                _log.exception("a heartbeat failed")
            await asyncio.sleep(SECONDS)

    async def beat(self) -> None:
        now = clock.real_now()
        async with self._resources.database.connection() as connection:
            if self._ref is None or not await store.touch_node(connection, self._ref, now):
                await store.delete_unseen(connection, now - FORGOTTEN_AFTER)
                host = socket.gethostname()
                self._ref = await store.insert_node(connection, host, self._kind, os.getpid(), __version__, now)
        await self._resources.authenticator.uses.write(self._resources.database)

    async def end(self) -> None:
        """Without a database the row stays, and shows that the process was not seen since."""
        with suppress(Problem, TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await self._resources.authenticator.uses.write(self._resources.database)
                if self._ref is not None:
                    async with self._resources.database.connection() as connection:
                        await store.delete_node(connection, self._ref)
