"""Sockets to the database that notice a network which silently drops packets, within ten seconds.

Keep-alive probes the peer while a statement runs: one that lives answers, so that long statements are not cut off.
"""

import asyncio
import socket
from typing import Any

from sitewright.kit.pool import Connection

IDLE_SECONDS = 3  # before the first probe
PROBE_SECONDS = 2
PROBES = 3
UNANSWERED_MILLISECONDS = 8000  # sent and not acknowledged, whether data or probe
OPTIONS = {
    "TCP_KEEPIDLE": IDLE_SECONDS,
    "TCP_KEEPINTVL": PROBE_SECONDS,
    "TCP_KEEPCNT": PROBES,
    "TCP_USER_TIMEOUT": UNANSWERED_MILLISECONDS,
}


class WatchfulConnection(Connection):
    """asyncpg lets the class of its connections be chosen, and hands the transport to it."""

    def __init__(self, protocol: Any, transport: asyncio.Transport, *others: Any) -> None:
        super().__init__(protocol, transport, *others)
        _watch(transport.get_extra_info("socket"))


def _watch(watched: socket.socket | None) -> None:
    """TCP alone: the kernel tells at once when the other end of a local socket is gone."""
    if watched is None or watched.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    watched.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in OPTIONS.items():
        if (option := getattr(socket, name, None)) is not None:  # not every system has all of them
            watched.setsockopt(socket.IPPROTO_TCP, option, value)
