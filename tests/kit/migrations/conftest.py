from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from tests.support.users import OwnerConnection


async def _new_database(server_url: str, name: str) -> AsyncIterator[str]:
    owner = await asyncpg.connect(server_url)
    await owner.execute(f"create database {name}")
    yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    await owner.execute(f"drop database {name} with (force)")
    await owner.close()


@pytest.fixture
async def empty_database(database_url: str) -> AsyncIterator[str]:
    async for url in _new_database(database_url, "empty"):
        yield url


@pytest.fixture
async def other_empty_database(database_url: str) -> AsyncIterator[str]:
    async for url in _new_database(database_url, "other_empty"):
        yield url


@pytest.fixture
async def connection(empty_database: str) -> AsyncIterator[OwnerConnection]:
    opened = await asyncpg.connect(empty_database)
    yield opened
    await opened.close()
