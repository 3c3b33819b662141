"""Clients of the running service with both kinds of credentials, and a user's fields."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from sitewright_client import AsyncClient, Basic, Client, OAuth1, Retries
from sitewright_client.models import NewUser
from tests.support.cast import OWN_BRAND, Cast
from tests.support.timeouts import HANG_SECONDS

AT_ONCE = Retries(first_wait=0)
ANN: NewUser = {
    "brandRef": OWN_BRAND,
    "firstName": "Ann",
    "lastName": "Example",
    "username": "ann",
    "password": "correct horse",
    "email": "ann@mail.example",
    "languageCode": "en",
}


def oauth_of(cast: Cast) -> OAuth1:
    owner = cast.owner
    return OAuth1(owner.consumer_key, owner.consumer_secret, owner.access_token, owner.access_secret)


@pytest.fixture(params=["basic", "oauth"])
def auth(request: pytest.FixtureRequest, cast: Cast) -> Basic | OAuth1:
    return Basic(*cast.owner_operator) if request.param == "basic" else oauth_of(cast)


@pytest.fixture
def client(base_url: str, cast: Cast, clean: None) -> Iterator[Client]:
    """Its calls block: make them in a thread."""
    with httpx2.Client(timeout=HANG_SECONDS, trust_env=False) as http:
        yield Client(base_url, oauth_of(cast), retries=AT_ONCE, http=http)


@pytest.fixture
async def async_client(base_url: str, cast: Cast, clean: None) -> AsyncIterator[AsyncClient]:
    async with httpx2.AsyncClient(timeout=HANG_SECONDS, trust_env=False) as http:
        yield AsyncClient(base_url, oauth_of(cast), retries=AT_ONCE, http=http)
