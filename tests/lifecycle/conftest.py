import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.http.server import listen, server_for
from sitewright.kit.resources import Resources
from tests.support.http_clients import http_client
from tests.support.ledger import Ledger
from tests.support.patient_edge import only_notifications_invalidate, wait_for_look_ups
from tests.support.users import OwnerConnection


@pytest.fixture
def ledger(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Ledger:
    return Ledger(owner_connection, resources)


@pytest.fixture
async def visitors(
    resources: Resources, clean: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    """Visitors of sites, at an edge server that the database notifies of changes."""
    only_notifications_invalidate(monkeypatch)
    wait_for_look_ups(monkeypatch)
    listener, socket = SiteListener(resources), listen("127.0.0.1", 0)
    server = server_for(listener)
    serving, working = asyncio.create_task(server._serve([socket])), asyncio.create_task(listener.work())
    async with http_client(f"http://127.0.0.1:{socket.getsockname()[1]}") as client:
        yield client
    server.should_exit = True
    working.cancel()
    await serving
    with suppress(asyncio.CancelledError):
        await working
