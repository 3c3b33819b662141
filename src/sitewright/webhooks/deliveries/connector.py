"""Connects to receivers, only at addresses that were checked.

A name is resolved once for each connection, all of its addresses are checked, and only those are connected to, which
prevents DNS rebinding. Each address is checked again before its socket is created, which covers literal addresses in
URLs.
"""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from sitewright.kit.network_guard import Guard

LOOKUPS_PER_CONNECTION = 4
"""The system looks up a name for up to half a minute, also when the attempt that needs it has timed out long ago."""


class SystemResolver(AbstractResolver):
    """Resolves names with the operating system, in its own threads: the default executor has few.

    There is a thread for every lookup, so that silent name servers of one brand's receivers do not delay others: the
    dispatcher divides the connections among brands. Threads are started when they are needed.
    """

    def __init__(self, connections: int) -> None:
        self._threads = ThreadPoolExecutor(connections * LOOKUPS_PER_CONNECTION, thread_name_prefix="webhook-names")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        look_up = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(self._threads, look_up)
        return [
            ResolveResult(hostname=host, host=str(address[0]), port=port, family=kind, proto=protocol, flags=0)
            for kind, _type, protocol, _name, address in found
        ]

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class CheckedResolver(AbstractResolver):
    """Refuses a name if any of its addresses is not allowed."""

    def __init__(self, guard: Guard, resolver: AbstractResolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = list(await self._resolver.resolve(host, port, family))
        for each in found:
            self._guard.check(each["host"])
        return found

    async def close(self) -> None:
        await self._resolver.close()


def checked_sockets(guard: Guard) -> Callable[[Any], socket.socket]:
    """Creates the socket for the next address to connect to, after checking it."""

    def create_socket(info: tuple[int, int, int, str, tuple[Any, ...]]) -> socket.socket:
        family, kind, protocol, _name, address = info
        guard.check(str(address[0]))
        return socket.socket(family, kind, protocol)

    return create_socket
