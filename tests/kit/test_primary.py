"""A URL with several hosts: connections go to the server that accepts writes, wherever it is listed."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from sitewright.kit import primary
from sitewright.kit.db import open_database
from sitewright.kit.dumps import write_dump
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.migrations import migrate
from sitewright.kit.primary import Hosts, NoPrimary, connect
from sitewright.kit.primary.urls import host_of, split_hosts
from sitewright.kit.problems import Unavailable
from tests.support.eventually import eventually
from tests.support.relay import relayed
from tests.support.service import free_port
from tests.support.timeouts import HANG_SECONDS

PASSWORD = "the-same-on-both"


@pytest.fixture(scope="module")
def folder_of_other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("other")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, folder_of_other: Path) -> Iterator[list[EmbeddedPostgres]]:
    servers = [EmbeddedPostgres(tmp_path_factory.mktemp("one")), EmbeddedPostgres(folder_of_other)]
    for server in servers:
        server.start()
    yield servers
    for server in servers:
        with suppress(Exception):
            server.stop()


@pytest.fixture(scope="module")
async def urls(pair: list[EmbeddedPostgres]) -> AsyncIterator[list[str]]:
    """Each server over TCP, with the same log-in."""
    locally = [server.url for server in pair]
    for url in locally:
        await _run(url, f"alter role {urlsplit(url).username} password '{PASSWORD}'")
    locally = [url.replace(str(urlsplit(url).password), PASSWORD) for url in locally]
    await migrate(locally[0])
    async with relayed(locally[0]) as one, relayed(locally[1]) as other:
        yield [one, other]


async def _run(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()


async def _set_read_only(url: str, *, on: bool) -> None:
    await _run(url, f"alter system set default_transaction_read_only = {'on' if on else 'off'}")
    await _run(url, "select pg_reload_conf()")

    async def is_seen() -> bool:
        connection = await asyncpg.connect(url)
        seen = await connection.fetchval("show default_transaction_read_only")
        await connection.close()
        return bool(seen == ("on" if on else "off"))

    await eventually(is_seen)


def _joined(*urls: str) -> str:
    return urls[0].replace(host_of(urls[0]), ",".join(host_of(url) for url in urls))


def _elsewhere(url: str, port: int) -> str:
    return url.replace(host_of(url), f"127.0.0.1:{port}")


async def _server_of(connection: "asyncpg.Connection[asyncpg.Record]") -> int:
    identifier: int = await connection.fetchval("select system_identifier from pg_control_system()")
    await connection.close()
    return identifier


@asynccontextmanager
async def _silent_server() -> AsyncIterator[int]:
    """Accepts connections, and never says anything, as a stalled server."""
    released = asyncio.Event()

    async def keep(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.close()

    server = await asyncio.start_server(keep, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        released.set()
        server.close()


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("postgresql://a:b,c@one,two:6/db?x=1", ["one", "two:6"]),
        ("postgresql://a@[2001:db8::1]:5,[2001:db8::2]/db", ["[2001:db8::1]:5", "[2001:db8::2]"]),
        ("postgresql://one,two", ["one", "two"]),
        ("postgresql://a@one/db?host=x", ["one"]),
        ("postgresql://a@/db?host=/run/a,b", [""]),
    ],
)
def test_a_url_is_split_into_one_for_each_host(url: str, hosts: list[str]) -> None:
    parts = split_hosts(url)
    assert [host_of(part) for part in parts] == hosts
    joined = ",".join(hosts)
    assert [part.replace(host, joined, 1) if host else part for part, host in zip(parts, hosts, strict=True)] == [
        url for _ in hosts
    ]


async def test_hosts_that_are_silent_or_refuse_do_not_delay_the_others(urls: list[str]) -> None:
    async with _silent_server() as silent:
        url = _joined(_elsewhere(urls[0], silent), _elsewhere(urls[0], free_port()), urls[0])
        connection = await connect(url, wait_seconds=HANG_SECONDS)
        assert await connection.fetchval("select 1") == 1
        await connection.close()


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)], ids=["first", "last"])
async def test_a_server_that_accepts_no_writes_is_not_used(urls: list[str], order: slice) -> None:
    await _set_read_only(urls[1], on=True)
    try:
        connections = [await connect(_joined(*urls[order]), wait_seconds=HANG_SECONDS) for _ in range(3)]
        servers = {await _server_of(connection) for connection in connections}
        assert servers == {await _server_of(await asyncpg.connect(urls[0]))}
    finally:
        await _set_read_only(urls[1], on=False)


async def test_without_a_primary_the_error_says_what_each_host_said(urls: list[str]) -> None:
    await _set_read_only(urls[1], on=True)
    try:
        async with _silent_server() as silent:
            refusing = free_port()
            url = _joined(_elsewhere(urls[0], silent), _elsewhere(urls[0], refusing), urls[1])
            with pytest.raises(NoPrimary) as refused:
                await Hosts(url).connect(wait_seconds=HANG_SECONDS)
    finally:
        await _set_read_only(urls[1], on=False)
    for said in (f"127.0.0.1:{silent}: no response", f"127.0.0.1:{refusing}: ", f"{host_of(urls[1])}: a standby"):
        assert said in str(refused.value)
    assert PASSWORD not in str(refused.value)


async def test_a_wrong_password_is_reported_as_such(urls: list[str]) -> None:
    url = _joined(_elsewhere(urls[0], free_port()), *urls).replace(PASSWORD, "wrong")
    with pytest.raises(asyncpg.InvalidPasswordError):
        await connect(url, wait_seconds=HANG_SECONDS)


async def test_a_dump_is_read_from_the_primary(urls: list[str], tmp_path: Path) -> None:
    file = tmp_path / "several.dump"
    await asyncio.to_thread(write_dump, _joined(_elsewhere(urls[0], free_port()), urls[0]), file)
    assert file.read_bytes().startswith(b"PGDMP")


async def test_requests_that_wait_for_a_stalled_primary_fail(urls: list[str]) -> None:
    """The new primary is there already; the former one still holds the connection, and says nothing any more."""
    async with _stalling(urls[0]) as (relay, stalled):
        database = open_database(
            _joined(relay, _elsewhere(urls[0], free_port())), connections=2, wait_seconds=HANG_SECONDS, name="test"
        )
        async with database.watched():
            async with database.connection() as connection:
                assert await connection.fetchval("select 1") == 1
            await eventually(partial(_has_sessions, urls[0], 2))  # this one, and the one that watches
            stalled.is_stalled = True
            with pytest.raises(Unavailable):
                async with database.connection() as connection:
                    await connection.fetchval("select 2")
            with pytest.raises(Unavailable):
                async with database.connection():
                    pass
            stalled.is_stalled = False

            async def is_back() -> bool:
                with suppress(Unavailable):
                    async with database.connection() as connection:
                        return bool(await connection.fetchval("select 3") == 3)
                return False

            await eventually(is_back)
        await database.close()


async def test_requests_fail_where_the_primary_stalled_before_the_watch_could_connect(urls: list[str]) -> None:
    async with _stalling(urls[0]) as (relay, stalled):
        database = open_database(
            _joined(relay, _elsewhere(urls[0], free_port())), connections=2, wait_seconds=HANG_SECONDS, name="test"
        )
        async with database.connection() as connection:
            assert await connection.fetchval("select 1") == 1
        stalled.is_stalled = True
        async with database.watched(), asyncio.timeout(HANG_SECONDS):
            with pytest.raises(Unavailable):
                async with database.connection() as connection:
                    await connection.fetchval("select 2")
        await database.close()


async def test_connections_end_where_a_server_is_silent_but_not_where_a_pooler_queues(
    urls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _stalling(urls[0]) as (relay, state):
        hosts = Hosts(_joined(relay, _elsewhere(urls[0], free_port())))
        existing = await hosts.connect(wait_seconds=HANG_SECONDS)
        for constant in ("SILENT_SECONDS", "HOST_SECONDS"):
            monkeypatch.setattr(primary, constant, 0.5)
        state.is_queueing = True
        with pytest.raises(NoPrimary, match="no response"):
            await hosts.connect(wait_seconds=HANG_SECONDS)
        hosts.end_silent_connections()
        assert await existing.fetchval("select 1") == 1
        state.is_stalled = True
        for _ in range(2):
            with pytest.raises(NoPrimary, match="no response"):
                await hosts.connect(wait_seconds=HANG_SECONDS)
        hosts.end_silent_connections()
        assert existing.is_closed()


async def _has_sessions(url: str, count: int) -> bool:
    connection = await asyncpg.connect(url)
    named = "select count(*) from pg_stat_activity where application_name = 'sitewright test'"
    found: int = await connection.fetchval(named)
    await connection.close()
    return found == count


class Stalling:
    """Drops what it would relay while it is stalled. While it queues, it drops the statements of new connections."""

    def __init__(self) -> None:
        self.is_stalled = False
        self.is_queueing = False


@asynccontextmanager
async def _stalling(url: str) -> AsyncIterator[tuple[str, Stalling]]:
    state = Stalling()
    host, _, port = host_of(url).partition(":")

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward_reader, onward_writer = await asyncio.open_connection(host, int(port))
        dropped = (b"P", b"Q") if state.is_queueing else ()
        await asyncio.gather(_pass_on(reader, onward_writer, dropped), _pass_on(onward_reader, writer))

    async def _pass_on(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, dropped: tuple[bytes, ...] = ()
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if not state.is_stalled and not data.startswith(dropped):
                    writer.write(data)
        writer.close()

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    try:
        yield _elsewhere(url, server.sockets[0].getsockname()[1]), state
    finally:
        server.close()


async def test_a_former_primary_is_not_used_again(
    pair: list[EmbeddedPostgres], folder_of_other: Path, urls: list[str]
) -> None:
    """The other server starts a new timeline, as a standby does when it is promoted."""
    await _run(urls[1], "alter system set restore_command = 'false'")
    pair[1].stop()
    hosts = Hosts(_joined(*urls))
    former = await _server_of(await hosts.connect(wait_seconds=HANG_SECONDS))
    data = folder_of_other / "postgres" / "data"
    signal_file = data / "recovery.signal"
    signal_file.touch()
    shutil.chown(signal_file, data.stat().st_uid, data.stat().st_gid)
    pair[1].start()
    pair[0].stop()

    async def is_used() -> bool:
        with suppress(NoPrimary):
            return await _server_of(await hosts.connect(wait_seconds=HANG_SECONDS)) != former
        return False

    await eventually(is_used)
    pair[0].start()
    assert former not in {await _server_of(await hosts.connect(wait_seconds=HANG_SECONDS)) for _ in range(5)}
    pair[1].stop()
    with pytest.raises(NoPrimary, match="a former primary"):
        await hosts.connect(wait_seconds=HANG_SECONDS)
