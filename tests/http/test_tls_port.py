"""Malicious or slow clients of a TLS port, on both event loops. They do not delay others."""

import asyncio
import contextlib
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import uvloop

from sitewright.edge.default_certificate import self_signed
from sitewright.kit.http import tls_port
from sitewright.kit.http.limits import AddressLimit
from sitewright.kit.http.server import listen
from sitewright.kit.http.tls_port import Tls, TlsPort
from sitewright.kit.origin import Proxies
from sitewright.kit.tls import server_context
from tests.http.test_client_hello import HELLO, HOST
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS

CONTEXT = server_context(*self_signed())
Scenario = Callable[["Stage"], Awaitable[None]]
Run = Callable[[Scenario], Awaitable[None]]


class Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


class Names:
    """One certificate for all; a client that requests the slow name waits until `may_return` is set."""

    def __init__(self) -> None:
        self.requested: list[str | None] = []
        self.may_return = asyncio.Event()

    def cached_context(self, name: str | None) -> ssl.SSLContext | None:
        self.requested.append(name)
        return None if name == "slow.example" else CONTEXT

    async def find(self, _name: str | None) -> ssl.SSLContext:
        await self.may_return.wait()
        return CONTEXT


class Stage:
    def __init__(self, listener: socket.socket) -> None:
        self.address = listener.getsockname()
        self.names = Names()
        self.outcomes: list[str] = []
        self.port = TlsPort(
            Tls(listener, self.names, self.outcomes.append), lambda _: Echo(), AddressLimit(0, Proxies([]))
        )

    async def handshake(self, name: str = HOST) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        reader, writer = await asyncio.open_connection(*self.address, ssl=context, server_hostname=name)
        writer.write(b"hello")
        assert await asyncio.wait_for(reader.readexactly(5), HANG_SECONDS) == b"hello"
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    @contextlib.asynccontextmanager
    async def sending(self, *parts: bytes, pause: float = 0.0) -> AsyncIterator[asyncio.StreamReader]:
        """A client that sends these parts, and then nothing."""
        reader, writer = await asyncio.open_connection(*self.address)
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                writer.write(part)
                await asyncio.sleep(pause)
            yield reader
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def play(scenario: Scenario) -> None:
    stage = Stage(listen("127.0.0.1", 0))
    stage.port.open()
    async with asyncio.timeout(HANG_SECONDS):
        await scenario(stage)
    await stage.port.close()


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """In a thread with its own event loop."""
    return lambda scenario: asyncio.to_thread(request.param, play(scenario))


async def ended(reader: asyncio.StreamReader) -> bool:
    """Whether the server closes the connection."""
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), HANG_SECONDS)
    return True


async def test_a_name_is_looked_up_and_a_handshake_counted(run: Run) -> None:
    async def scenario(stage: Stage) -> None:
        await stage.handshake()
        assert (stage.names.requested, stage.outcomes, stage.port.pending) == ([HOST], ["done"], 0)

    await run(scenario)


async def test_a_hello_may_arrive_byte_by_byte(run: Run) -> None:
    async def scenario(stage: Stage) -> None:
        parts = [HELLO[at : at + 1] for at in range(40)] + [HELLO[40:]]
        async with stage.sending(*parts, pause=0.002) as reader:
            response = await asyncio.wait_for(reader.readexactly(3), HANG_SECONDS)
            assert (response[:2], stage.names.requested) == (b"\x16\x03", [HOST])

    await run(scenario)


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", b"\x00" * 500, b"\x16\x03\x01\xff\xff"])
async def test_bytes_that_are_not_tls_close_the_connection_at_once(run: Run, sent: bytes) -> None:
    async def scenario(stage: Stage) -> None:
        async with stage.sending(sent) as reader:
            assert await ended(reader)
        assert (stage.names.requested, stage.outcomes) == ([], ["let-go"])

    await run(scenario)


async def test_a_hello_that_openssl_rejects_is_refused(run: Run) -> None:
    async def scenario(stage: Stage) -> None:
        async with stage.sending(HELLO[:43] + b"\xff" * 200 + HELLO[243:]) as reader:
            assert await ended(reader)
        await eventually(lambda: stage.outcomes == ["refused"])

    await run(scenario)


async def test_a_client_that_disconnects_early_is_removed(run: Run) -> None:
    async def scenario(stage: Stage) -> None:
        for part in (b"", HELLO[:50], HELLO):
            async with stage.sending(part):
                await eventually(lambda: stage.port.pending == 1)
            await eventually(lambda: stage.port.pending == 0)

    await run(scenario)


@pytest.mark.parametrize("part", [b"", HELLO[:50], HELLO], ids=["nothing", "a beginning", "no more"])
async def test_a_slow_handshake_times_out(run: Run, part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(stage: Stage) -> None:
        async with stage.sending(part) as reader:
            assert await ended(reader)
        await eventually(lambda: (stage.outcomes, stage.port.pending) == (["let-go"], 0))

    monkeypatch.setattr(tls_port, "HANDSHAKE_SECONDS", 0.3)
    await run(scenario)


async def test_a_slow_certificate_lookup_delays_only_its_own_client(run: Run) -> None:
    async def scenario(stage: Stage) -> None:
        waiting = asyncio.create_task(stage.handshake("slow.example"))
        await eventually(lambda: "slow.example" in stage.names.requested)
        await stage.handshake()
        assert not waiting.done()
        stage.names.may_return.set()
        await waiting

    await run(scenario)


async def test_the_oldest_of_too_many_handshakes_are_dropped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest pending handshakes are closed."""

    async def scenario(stage: Stage) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for number in range(1000):
                part = (b"", HELLO[: number % 100], HELLO)[number % 3]
                await stack.enter_async_context(stage.sending(part))
            await stage.handshake()
            assert stage.port.pending <= 200
            assert stage.outcomes.count("let-go") >= 800

    monkeypatch.setattr(tls_port, "MAX_HANDSHAKES", 200)
    await run(scenario)


async def test_handshakes_are_dropped_when_file_descriptors_run_out(run: Run) -> None:
    """Pending handshakes are closed, and connections in the queue are accepted then."""

    async def scenario(stage: Stage) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(20):
                await stack.enter_async_context(stage.sending(b""))
            await eventually(lambda: stage.port.pending == 20)
            late = socket.socket()
            late.setblocking(False)
            loop = asyncio.get_running_loop()
            with _no_more_files():
                await loop.sock_connect(late, stage.address)
                await eventually(lambda: stage.port.pending <= 11)
            late.close()
            await stage.handshake()

    await run(scenario)


@contextlib.contextmanager
def _no_more_files() -> Any:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        probe = stack.enter_context(socket.socket())
        resource.setrlimit(resource.RLIMIT_NOFILE, (probe.fileno(), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
