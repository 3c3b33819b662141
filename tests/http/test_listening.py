"""Listening sockets: exclusive, or shared by several processes among which the kernel distributes connections."""

import errno
import socket
from collections.abc import Iterator

import pytest

from sitewright.kit.http.server import listen, listen_for_each

CALLERS = 200
FEWEST = 60
"""With an even distribution, fewer than this of 200 at one of two sockets occur once in a hundred million runs."""


@pytest.fixture
def listeners() -> Iterator[list[socket.socket]]:
    opened = listen_for_each("127.0.0.1", 0, 2)
    yield opened
    for listener in opened:
        listener.close()


def test_concurrent_connections_are_balanced(listeners: list[socket.socket]) -> None:
    [address] = {listener.getsockname() for listener in listeners}
    callers = [socket.create_connection(address) for _ in range(CALLERS)]
    taken = [_accept_all(listener) for listener in listeners]
    assert sum(taken) == CALLERS
    assert min(taken) >= FEWEST
    for caller in callers:
        caller.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_port_is_exclusive(processes: int, listeners: list[socket.socket]) -> None:
    """Even if the other service would share it: each would get a part of the connections."""
    host, port = listeners[0].getsockname()
    with pytest.raises(OSError, match="in use") as refused:
        listen_for_each(host, port, processes)
    assert refused.value.errno == errno.EADDRINUSE
    for listener in listeners:
        listener.close()
    listen(host, port).close()


def _accept_all(listener: socket.socket) -> int:
    taken = 0
    while True:
        try:
            accepted, _ = listener.accept()
        except BlockingIOError:
            return taken
        accepted.close()
        taken += 1
