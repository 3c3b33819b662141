"""The worker process sends mail; the mail of one that is killed is sent after its lease."""

import asyncio
import os
import signal
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sitewright.kit.mail.outcomes import LEASE
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, Outbox
from tests.mail.smtp_server import PASSWORD, USERNAME, SmtpServer, run_smtp_server
from tests.support.eventually import eventually
from tests.support.forked import ForkedProcess, fork_command
from tests.support.service import children_of, environment
from tests.support.timeouts import HANG_SECONDS

Start = Callable[..., Awaitable[ForkedProcess]]


@pytest.fixture
async def start_worker(resources: Resources, database_url: str) -> AsyncIterator[Start]:
    started: list[ForkedProcess] = []

    async def start(server: SmtpServer, **settings: object) -> ForkedProcess:
        chosen = {"database_url": database_url, "smtp_host": "127.0.0.1", "smtp_port": server.port}
        chosen |= {"smtp_security": "none", "smtp_timeout_seconds": 120, "drain_seconds": 5} | settings
        started.append(await fork_command("worker", env=environment(resources.settings.data_path, **chosen)))
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait_for(process.wait(), HANG_SECONDS)


async def test_the_worker_sends_what_is_due_encrypted_and_logged_in(
    start_worker: Start, enqueue: Enqueue, tls: ssl.SSLContext, certificate: Path
) -> None:
    settings = {"smtp_security": "starttls", "smtp_ca_file": certificate}
    with run_smtp_server(tls=tls, log_in=True) as server:
        await start_worker(server, smtp_username=USERNAME, smtp_password=PASSWORD, **settings)
        await enqueue()
        await eventually(lambda: server.arrived)
    assert [(each.encrypted, each.logged_in) for each in server.arrived] == [(True, True)]


async def test_a_mail_whose_sender_was_killed_is_sent_after_the_lease(
    start_worker: Start, smtp_server: SmtpServer, enqueue: Enqueue, outbox: Outbox
) -> None:
    await enqueue()
    smtp_server.stalls_at = {"ann@mail.example"}
    worker = await start_worker(smtp_server, smtp_timeout_seconds=60)
    await eventually(lambda: smtp_server.connections)
    await eventually(lambda: children_of(worker.pid))
    for pid in children_of(worker.pid):
        os.kill(pid, signal.SIGKILL)
    worker.kill()
    await worker.wait()
    [row] = await outbox()
    assert (row["sent_at"], row["attempts"]) == (None, 1)
    smtp_server.stalls_at = set()
    await start_worker(smtp_server, clock_offset_seconds=int(LEASE.total_seconds()) + 5)
    await eventually(lambda: smtp_server.arrived)
    await eventually(lambda: _is_sent(outbox))
    assert smtp_server.recipients == ["ann@mail.example"]


async def _is_sent(outbox: Outbox) -> bool:
    [row] = await outbox()
    return row["sent_at"] is not None
