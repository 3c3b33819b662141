"""The exported brand is in the database of all tests; installations to import it into are databases beside it."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import httpx
import msgspec
import pytest

from sitewright.kit.migrations import migrate
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.transfer.recipients import make_key_pair
from tests.support import contract
from tests.support.cast import Cast, SignedBy
from tests.support.customers import Customer
from tests.support.http_clients import http_client
from tests.support.sequencing import sequence_events
from tests.support.transfer import Installation, export, make_brand, opened_installation
from tests.support.users import OwnerConnection

TEMPLATE, TARGET = "transfer_template", "transfer_target"


class Exported(msgspec.Struct, frozen=True):
    customer: Customer
    file: Path
    key: Path
    recipient: str


def beside(url: str, name: str) -> str:
    """The address of another database of the same server."""
    before, _, query = url.partition("?")
    return f"{before.rpartition('/')[0]}/{name}{'?' if query else ''}{query}"


@pytest.fixture(scope="session")
async def migrated_template(database_url: str) -> AsyncIterator[str]:
    server = await asyncpg.connect(database_url)
    await server.execute(f"create database {TEMPLATE}")
    await migrate(beside(database_url, TEMPLATE))
    yield TEMPLATE
    await server.execute(f"drop database {TEMPLATE} with (force)")
    await server.close()


@pytest.fixture
async def target(database_url: str, migrated_template: str, settings: Settings) -> AsyncIterator[Installation]:
    """An empty installation with its own master key."""
    server = await asyncpg.connect(database_url)
    await server.execute(f"create database {TARGET} template {migrated_template}")
    try:
        async with opened_installation(beside(database_url, TARGET), settings) as opened:
            yield opened
    finally:
        await server.execute(f"drop database {TARGET} with (force)")
        await server.close()


@pytest.fixture
async def exported(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    database_url: str,
    tmp_path: Path,
) -> Exported:
    """The brand, which is still there, and its archive."""
    return await _exported(owner, owner_connection, resources, database_url, tmp_path)


async def _exported(
    owner: httpx.AsyncClient, connection: OwnerConnection, resources: Resources, database_url: str, folder: Path
) -> Exported:
    customer = await make_brand(owner, connection, resources)
    await sequence_events(connection)
    file, key = folder / "brand.zip", folder / "private.key"
    recipient = make_key_pair(key)
    await export(resources, database_url, file, recipient)
    return Exported(customer, file, key, recipient)


@pytest.fixture(scope="session")
async def exported_once(
    base_url: str,
    cast: Cast,
    cleaning: str,
    owner_connection: OwnerConnection,
    resources: Resources,
    database_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Exported:
    async with http_client(base_url, auth=SignedBy(cast.owner), event_hooks=contract.HOOKS) as owner:
        made = await _exported(owner, owner_connection, resources, database_url, tmp_path_factory.mktemp("exported"))
    await owner_connection.execute(cleaning)
    return made


@pytest.fixture
def only_archive(exported_once: Exported, tmp_path: Path) -> Exported:
    """A copy of the archive of a brand that is no longer there."""
    made = exported_once
    file, key = (Path(shutil.copy2(each, tmp_path)) for each in (made.file, made.key))
    return msgspec.structs.replace(made, file=file, key=key)
