import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit.resources import Resources
from tests.support.http_clients import http_client
from tests.support.ledger import Ledger
from tests.support.patient_edge import only_notifications_invalidate, wait_for_look_ups
from tests.support.serving import serve
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
    listener = SiteListener(resources)
    working = asyncio.create_task(listener.work())
    async with serve(listener) as url, http_client(url) as client:
        yield client
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
