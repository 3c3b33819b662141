"""TCP keep-alive for database connections: detects a network that silently drops packets within ten seconds.

Keep-alive probes the peer, so long statements on a working connection are not interrupted.
"""

import asyncio
import socket
from typing import Any

from sitewright.kit.pool import Connection

IDLE_SECONDS = 3  # before the first probe
PROBE_SECONDS = 2
PROBES = 3
UNACKNOWLEDGED_MILLISECONDS = 8000  # data or probes
OPTIONS = {
    "TCP_KEEPIDLE": IDLE_SECONDS,
    "TCP_KEEPINTVL": PROBE_SECONDS,
    "TCP_KEEPCNT": PROBES,
    "TCP_USER_TIMEOUT": UNACKNOWLEDGED_MILLISECONDS,
}


class KeepAliveConnection(Connection):
    """A connection class for asyncpg, which passes the transport to it."""

    def __init__(self, protocol: Any, transport: asyncio.Transport, *others: Any) -> None:
        super().__init__(protocol, transport, *others)
        _enable_keep_alive(transport.get_extra_info("socket"))


def _enable_keep_alive(connected: socket.socket | None) -> None:
    """Only for TCP: the kernel reports at once when the peer of a unix socket has closed."""
    if connected is None or connected.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in OPTIONS.items():
        if (option := getattr(socket, name, None)) is not None:  # not every system has all of them
            connected.setsockopt(socket.IPPROTO_TCP, option, value)
