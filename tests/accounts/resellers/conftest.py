from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support import contract
from tests.support.cast import SignedBy
from tests.support.http_clients import http_client
from tests.support.ledger import Ledger
from tests.support.users import OwnerConnection

ClientFor = Callable[[OAuthCredentials], httpx.AsyncClient]


@pytest.fixture
async def client_for(base_url: str, clean: None) -> AsyncIterator[ClientFor]:
    """Opens a client that signs with the given credentials."""
    opened: list[httpx.AsyncClient] = []

    def open_client(credentials: OAuthCredentials) -> httpx.AsyncClient:
        auth = SignedBy(credentials)
        opened.append(http_client(base_url, auth=auth, event_hooks=contract.HOOKS))
        return opened[-1]

    yield open_client
    for client in opened:
        await client.aclose()


@pytest.fixture
def ledger(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Ledger:
    return Ledger(owner_connection, resources)
