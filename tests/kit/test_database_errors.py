"""Which errors count as an unavailable database, what is logged of them, and TCP keep-alive."""

import asyncio
import errno
import logging
import socket

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.database_sockets import OPTIONS
from sitewright.kit.db import open_database
from sitewright.kit.failure_log import INTERVAL_SECONDS, FailureLog
from sitewright.kit.problems import Busy, Unavailable
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.eventually import eventually
from tests.support.relay import relayed
from tests.support.responses import problem_in
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

UNREACHABLE = "postgresql://nobody@127.0.0.1:1/nothing"
IS_SLEEPING = "select wait_event = 'PgSleep' from pg_stat_activity where pid = $1"


def _logged_failures(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    lines = [record for record in caplog.records if record.name == "sitewright.database"]
    return [(line.getMessage(), line.__dict__["fields"]["cause"]) for line in lines]


async def test_an_oserror_that_is_not_the_databases_is_a_logged_internal_error(
    owner: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    response = await owner.post("/probe/full-disk")
    assert problem_in(response) == (500, "internalError")
    assert "secret" not in response.text
    [record] = [record for record in caplog.records if record.name == "sitewright.problems"]
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], OSError)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), ConnectionResetError(), TimeoutError()])
async def test_errors_raised_inside_a_transaction_are_not_reported_as_unavailable(
    resources: Resources, clean: None, error: OSError
) -> None:
    with pytest.raises(type(error)) as caught:
        async with resources.database.transaction(OWN_BRAND):
            raise error
    assert caught.value is error


async def test_an_internal_error_is_not_hidden_by_a_broken_connection(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    with pytest.raises(ZeroDivisionError):
        async with resources.database.transaction(OWN_BRAND) as tx:
            pid = await tx.fetchval("select pg_backend_pid()")
            await owner_connection.execute("select pg_terminate_backend($1)", pid)
            raise ZeroDivisionError
    async with resources.database.transaction(OWN_BRAND) as tx:
        assert await tx.fetchval("select 1") == 1


async def test_an_outage_is_logged_once_with_its_cause(caplog: pytest.LogCaptureFixture) -> None:
    database = open_database(UNREACHABLE, connections=4, wait_seconds=HANG_SECONDS, name="test")

    async def begin_transaction() -> None:
        with pytest.raises(Unavailable):
            async with database.transaction(OWN_BRAND):
                pass

    await asyncio.gather(*(begin_transaction() for _ in range(50)))
    [(message, cause)] = _logged_failures(caplog)
    assert (message, cause.partition(":")[0]) == ("no connection to the database", "ConnectionRefusedError")


async def test_a_broken_connection_is_logged_with_its_cause(
    database_url: str, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture, clean: None
) -> None:
    database = open_database(database_url, connections=2, wait_seconds=5, name="test")
    with pytest.raises(Unavailable):
        async with database.connection() as connection:
            pid = await connection.fetchval("select pg_backend_pid()")
            waiting = asyncio.create_task(connection.fetchval("select pg_sleep(20)"))
            await eventually(lambda: owner_connection.fetchval(IS_SLEEPING, pid))
            await owner_connection.fetchval("select pg_terminate_backend($1)", pid)
            await waiting
    [(_, cause)] = _logged_failures(caplog)
    assert "terminating connection due to administrator command" in cause
    await database.close()


async def test_a_busy_pool_is_not_reported_as_an_unreachable_database(
    database_url: str, caplog: pytest.LogCaptureFixture, clean: None
) -> None:
    database = open_database(database_url, connections=2, wait_seconds=HANG_SECONDS, name="test")
    async with database.connection(), database.connection():
        database.wait_seconds = 0.1  # for a free connection; opening one may take longer
        with pytest.raises(Busy, match="connections are busy"):
            async with database.connection():
                pass
    assert [message for message, _ in _logged_failures(caplog)] == ["all database connections are busy"]
    await database.close()


async def test_a_statement_timeout_is_not_reported_as_an_unreachable_database(
    resources: Resources, clean: None
) -> None:
    with pytest.raises(Busy):
        async with resources.database.transaction(OWN_BRAND) as tx:
            await tx.execute("set local statement_timeout = 20")
            await tx.execute("select pg_sleep(10)")


def test_a_failure_is_logged_once_per_interval_with_the_number_suppressed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, now = FailureLog(logging.getLogger("sitewright.database")), 100.0
    monkeypatch.setattr(clock, "stopwatch", lambda: now)
    for _ in range(5):
        log.report("away", ConnectionRefusedError("x"))
    log.report("away", TimeoutError("y"))
    now += INTERVAL_SECONDS
    log.report("away", ConnectionRefusedError("x"))
    assert [record.__dict__["fields"]["leftOut"] for record in caplog.records] == [0, 0, 4]


async def test_tcp_connections_have_keep_alive(database_url: str, clean: None) -> None:
    async with relayed(database_url) as url:
        database = open_database(url, connections=2, wait_seconds=5, name="test")
        async with database.connection() as connection:
            transport = connection._transport  # type: ignore[attr-defined]
            connected = transport.get_extra_info("socket")
            assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            found = {name: connected.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in OPTIONS}
        assert found == OPTIONS
        await database.close()
    seconds = OPTIONS["TCP_KEEPIDLE"] + OPTIONS["TCP_KEEPINTVL"] * OPTIONS["TCP_KEEPCNT"]
    assert (seconds <= 10, OPTIONS["TCP_USER_TIMEOUT"] <= 10_000) == (True, True)
