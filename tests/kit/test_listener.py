"""Listening to notifications: an outage is logged once, and everybody knows when notifications were missed."""

import asyncio
import logging
from contextlib import suppress

import pytest

from sitewright.kit import listener
from sitewright.kit.listener import Listener, OutageLog
from sitewright.kit.resources import Resources
from tests.support.eventually import eventually
from tests.support.users import OwnerConnection


def test_an_outage_is_logged_once_with_its_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "sitewright.probe")
    outage = OutageLog(logging.getLogger("sitewright.probe"))
    outage.ended()
    for _ in range(2):
        for _ in range(10):
            outage.failed(ConnectionRefusedError())
        outage.ended()
    logged = [record.getMessage() for record in caplog.records]
    began = "not notified of changes, retrying until it works: ConnectionRefusedError"
    assert logged == [began, "notified of changes again"] * 2


async def test_channels_and_lost_connections_are_reported(
    resources: Resources, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "RECONNECT_SECONDS", 0.01)
    seen: list[object] = []
    listening = Listener(
        resources.database, ("probe_a", "probe_b"), "probe", lambda *notified: seen.append(notified), seen.append
    )
    running = asyncio.create_task(listening.run())
    await eventually(lambda: seen == [True])
    for channel in ("probe_a", "probe_b", "probe_c"):
        await owner_connection.execute("select pg_notify($1, 'x')", channel)
    await eventually(lambda: seen == [True, ("probe_a", "x"), ("probe_b", "x")])
    await owner_connection.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'sitewright probe%'"
    )
    await eventually(lambda: seen[3:] == [False, True])
    assert listening.is_connected
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert seen[5:] == [False]
