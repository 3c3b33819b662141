"""Fixtures: a real PostgreSQL, a real HTTP server, a clean database for every test, and the callers."""

import gc
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import httpx
import pytest

from sitewright.app import ENDPOINTS, create_app
from sitewright.demo.service import apply_demo_catalogue
from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit import clock
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.migrations import migrate
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from tests.support import contract, probe
from tests.support.cast import OWN_BRAND, RESELLER_REF, Cast, SignedBy, create_cast
from tests.support.data_folders import keeping_templates
from tests.support.database import keep_as_baseline
from tests.support.debian_postgres import CHOSEN, debian_postgres
from tests.support.hashing import CHEAP, hashing_as_in_production
from tests.support.http_clients import http_client
from tests.support.name_server import NameServer
from tests.support.service import PATIENT
from tests.support.serving import serve
from tests.support.users import make_reseller

PRISTINE = "pristine"


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """Modules and collected tests live until the end: the garbage collector need not visit them in every test."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def templates_of_data_folders() -> Iterator[None]:
    with keeping_templates():
        yield


@pytest.fixture(scope="session")
async def empty_database_url() -> AsyncIterator[str]:
    """The embedded PostgreSQL, or Debian's of the major version that SITEWRIGHT_TEST_POSTGRES names."""
    if CHOSEN:
        async with debian_postgres(superuser=True) as url:
            yield url
        return
    with tempfile.TemporaryDirectory(prefix="sitewright-tests-") as folder:
        server = EmbeddedPostgres(Path(folder))
        server.start()
        yield server.url
        server.stop()


@pytest.fixture(scope="session")
async def database_url(empty_database_url: str) -> str:
    owner = await asyncpg.connect(empty_database_url)
    # Commits of the tests need not survive a crash of the machine, so they do not wait for the disk.
    await owner.execute("alter system set fsync = off")
    await owner.fetchval("select pg_reload_conf()")
    await migrate(empty_database_url)
    await apply_demo_catalogue(owner, MAIL.kinds)
    name = await owner.fetchval("select current_database()")
    await owner.close()
    server = await asyncpg.connect(empty_database_url, database="template1")
    await server.execute(f'create database {PRISTINE} template "{name}"')
    await server.close()
    return empty_database_url


@pytest.fixture(scope="session")
async def pristine(database_url: str) -> str:
    """A database with the demo's catalogue and nothing else, as a template for others."""
    return PRISTINE


@pytest.fixture(scope="session")
def name_server() -> NameServer:
    """The only resolver of the tests: it knows no names but those that a test sets, while `resources` exist."""
    return NameServer()


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory, name_server: NameServer) -> Settings:
    return Settings(
        data_dir=str(tmp_path_factory.mktemp("data")),
        workers=1,
        demo_history=False,
        dns_resolvers=[name_server.address],
        **PATIENT,
    )


@pytest.fixture(scope="session")
async def resources(settings: Settings, database_url: str, name_server: NameServer) -> AsyncIterator[Resources]:
    opening = open_resources(settings, database_url, name="tests", lifecycle=LIFECYCLE, mail=MAIL, hasher=CHEAP)
    async with opening as opened, name_server.serving():
        yield opened


@pytest.fixture
def production_hashing(resources: Resources) -> Iterator[None]:
    """Hash passwords with the parameters of the service, for tests of what is stored."""
    with hashing_as_in_production(resources.passwords):
        yield


@pytest.fixture(scope="session")
async def cast(resources: Resources, owner_connection: "asyncpg.Connection[asyncpg.Record]") -> Cast:
    await make_reseller(owner_connection, OWN_BRAND, RESELLER_REF)
    return await create_cast(resources)


@pytest.fixture(scope="session")
async def owner_connection(database_url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """A session of this release: triggers that only the previous one needs do nothing in it."""
    connection = await asyncpg.connect(database_url, server_settings={"sitewright.release": "tests"})
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
async def cleaning(cast: Cast, owner_connection: "asyncpg.Connection[asyncpg.Record]") -> str:
    return await keep_as_baseline(owner_connection)


@pytest.fixture(scope="session")
async def without_triggers(database_url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(database_url, server_settings={"session_replication_role": "replica"})
    yield connection
    await connection.close()


@pytest.fixture
async def clean(cleaning: str, without_triggers: "asyncpg.Connection[asyncpg.Record]") -> AsyncIterator[None]:
    """Undo everything that the test changed in the database and on the clock."""
    yield
    clock.shift(0)
    await without_triggers.execute(cleaning)


@pytest.fixture(scope="session")
async def base_url(resources: Resources) -> AsyncIterator[str]:
    """A real server, with the endpoints of the service and those of the tests."""
    async with serve(create_app(resources, [*ENDPOINTS, *probe.endpoints])) as url:
        yield url


@asynccontextmanager
async def _open_client(base_url: str, auth: httpx.Auth | tuple[str, str] | None) -> AsyncIterator[httpx.AsyncClient]:
    async with http_client(base_url, auth=auth, event_hooks=contract.HOOKS) as client:
        yield client


@pytest.fixture
async def anonymous(base_url: str, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    async with _open_client(base_url, None) as client:
        yield client


@pytest.fixture
async def owner(base_url: str, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    async with _open_client(base_url, SignedBy(cast.owner)) as client:
        yield client


@pytest.fixture
async def other_brand(base_url: str, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    async with _open_client(base_url, SignedBy(cast.other_brand)) as client:
        yield client


@pytest.fixture
async def reseller(base_url: str, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    async with _open_client(base_url, SignedBy(cast.reseller)) as client:
        yield client


@pytest.fixture
async def system_owner(base_url: str, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    async with _open_client(base_url, cast.system_owner) as client:
        yield client


@pytest.fixture
async def owner_operator(base_url: str, cast: Cast, clean: None) -> AsyncIterator[httpx.AsyncClient]:
    """The owner with HTTP Basic."""
    async with _open_client(base_url, cast.owner_operator) as client:
        yield client
