"""During a database outage cached pages are served stale; everything else works again when the database is back."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from functools import partial

import asyncpg
import pytest

from sitewright.demo.service import apply_demo_catalogue
from sitewright.edge import single_flight
from sitewright.edge.app import SiteListener
from sitewright.features import MAIL
from sitewright.kit import clock
from sitewright.kit import listener as kit_listener
from sitewright.kit.db import open_database
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.migrations import migrate
from sitewright.kit.problems import Busy, Unavailable
from sitewright.kit.resources import Resources
from tests.edge.conftest import SwappableListener
from tests.edge.shops import FILES, HOST, Visitor, kind_of, open_shop
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.database import with_database
from tests.support.eventually import eventually
from tests.support.timeouts import HANG_SECONDS


@pytest.fixture(scope="module")
def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path_factory.mktemp("outage"))
    server.start()
    yield server
    with suppress(Exception):
        server.stop()


@pytest.fixture
async def postgres_to_stop(
    own_postgres: EmbeddedPostgres, edge_server: tuple[SwappableListener, str], visitor: Visitor, resources: Resources
) -> AsyncIterator[EmbeddedPostgres]:
    """The database of a listener that has cached the home page of one site."""
    await migrate(own_postgres.url)
    owner = await asyncpg.connect(own_postgres.url)
    await apply_demo_catalogue(owner, MAIL.kinds)
    await open_shop(owner, resources)
    await owner.close()
    database = open_database(own_postgres.url, connections=4, wait_seconds=2, name="edge")
    edge_server[0].listener = SiteListener(with_database(resources, database))
    working = asyncio.create_task(edge_server[0].listener.work())
    assert kind_of(await visitor.get("/")) == (200, "page")
    assert kind_of(await visitor.get("/", host="nobody.example")) == (404, "holding")
    yield own_postgres
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    await database.close()


async def test_cached_pages_survive_an_outage(
    postgres_to_stop: EmbeddedPostgres,
    visitor: Visitor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "sitewright.edge")
    monkeypatch.setattr(kit_listener, "RECONNECT_SECONDS", 0.05)
    postgres_to_stop.stop()
    assert (await visitor.get("/")).text == FILES[""]

    monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + 200)
    for _ in range(3):
        response = await visitor.get("/")
        assert (response.status_code, response.text) == (200, FILES[""]), "valid for five minutes without the database"
    assert kind_of(await visitor.get("/", host="nobody.example")) == (404, "holding")
    for path, host in (("/about", HOST), ("/", "other.example"), ("/.well-known/pki-validation/fileauth/a", HOST)):
        response = await visitor.get(path, host=host)
        assert kind_of(response) == (503, "offline")
        assert (response.headers["retry-after"], "We will be right back" in response.text) == ("2", True)
        assert 'href="">Try again</a>' in response.text

    monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + 600)
    assert kind_of(await visitor.get("/")) == (503, "offline"), "after that it is too stale"

    await eventually(lambda: "not notified" in caplog.text)
    postgres_to_stop.start()

    async def is_back() -> bool:
        responses = [await visitor.get("/"), await visitor.get("/about")]
        return [response.status_code for response in responses] == [200, 200]

    await eventually(is_back)
    await eventually(lambda: "notified of changes again" in caplog.text)
    logged = [record.getMessage().partition(",")[0] for record in caplog.records if "notified" in record.getMessage()]
    assert logged == ["not notified of changes", "notified of changes again"], "once per outage"


async def test_the_circuit_breaker_waits_before_the_next_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts, lookups = [], single_flight.SingleFlight()

    async def look_up() -> str:
        attempts.append(1)
        raise Unavailable

    for _ in range(5):
        with pytest.raises(Unavailable):
            await lookups.run("key", look_up)
    assert len(attempts) == 1
    monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + single_flight.BACKOFF_SECONDS)
    with pytest.raises(Unavailable):
        await lookups.run("key", look_up)
    assert len(attempts) == 2


async def test_a_brand_at_its_connection_limit_does_not_affect_others(database_url: str, clean: None) -> None:
    lookups = single_flight.SingleFlight()
    database = open_database(database_url, connections=4, wait_seconds=HANG_SECONDS, name="edge")

    async def look_up(brand_ref: int) -> int:
        async with database.transaction(brand_ref) as tx:
            found: int = await tx.fetchval("select current_brand()")
            return found

    async with AsyncExitStack() as held:
        for _ in range(3):
            await held.enter_async_context(database.transaction(OWN_BRAND))
        database.wait_seconds = 0.1
        with pytest.raises(Busy):
            await lookups.run("own", partial(lookups.run, "nested", partial(look_up, OWN_BRAND)))
        database.wait_seconds = HANG_SECONDS
        assert await lookups.run("other", partial(look_up, OTHER_BRAND)) == OTHER_BRAND
    assert await lookups.run("own", partial(look_up, OWN_BRAND)) == OWN_BRAND
    await database.close()


async def test_a_caller_with_a_timeout_does_not_wait_for_a_slow_look_up() -> None:
    lookups, released = single_flight.SingleFlight(), asyncio.Event()

    async def look_up() -> str:
        await released.wait()
        return "late"

    for _ in range(2):
        with pytest.raises(Unavailable):
            await lookups.run("key", look_up, 0.05)
    released.set()
    assert await lookups.run("key", look_up, HANG_SECONDS) == "late"
    assert not lookups.is_active
