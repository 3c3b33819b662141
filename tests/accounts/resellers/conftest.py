from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.service import OAuthStrings
from tests.support import contract
from tests.support.cast import SignedBy
from tests.support.ledger import Ledger
from tests.support.trust import TRUST
from tests.support.users import OwnerConnection

ClientFor = Callable[[OAuthStrings], httpx.AsyncClient]


@pytest.fixture
async def client_for(base_url: str, clean: None) -> AsyncIterator[ClientFor]:
    """Opens a client that signs with the given credentials."""
    opened: list[httpx.AsyncClient] = []

    def open_client(strings: OAuthStrings) -> httpx.AsyncClient:
        auth = SignedBy(strings)
        opened.append(
            httpx.AsyncClient(
                base_url=base_url, auth=auth, trust_env=False, event_hooks=contract.HOOKS, timeout=60, verify=TRUST
            )
        )
        return opened[-1]

    yield open_client
    for client in opened:
        await client.aclose()


@pytest.fixture
def ledger(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Ledger:
    return Ledger(owner_connection, resources)
