"""Clients that do a handshake and disconnect, in separate processes, since a handshake costs a client more than the
server."""

import os
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

CLIENTS = max(3, len(os.sched_getaffinity(0)))
SECONDS = 30


@contextmanager
def clients() -> Iterator[Executor]:
    with ProcessPoolExecutor(CLIENTS, get_context("fork")) as pool:
        yield pool


def handshakes_per_second(pool: Executor, port: int, names: Sequence[str]) -> float:
    """One full handshake for each name, without session resumption."""
    started = time.perf_counter()
    for done in [pool.submit(shake_hands, port, names[number::CLIENTS]) for number in range(CLIENTS)]:
        done.result()
    return len(names) / (time.perf_counter() - started)


def shake_hands(port: int, names: Sequence[str]) -> None:
    context = _context()
    for name in names:
        with (
            socket.create_connection(("127.0.0.1", port), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=name),
        ):
            pass


def shown_certificate(port: int, name: str) -> bytes:
    """As PEM."""
    with (
        socket.create_connection(("127.0.0.1", port), SECONDS) as plain,
        _context().wrap_socket(plain, server_hostname=name) as client,
    ):
        return ssl.DER_cert_to_PEM_cert(client.getpeercert(binary_form=True) or b"").encode()


def _context() -> ssl.SSLContext:
    """Accepts any certificate: verification is not part of the figure."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
