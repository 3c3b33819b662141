"""While the database is away, what was seen before goes on being served; what was not, comes back with the database."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from functools import partial

import asyncpg
import msgspec
import pytest

from sitewright.app import MAIL
from sitewright.demo.service import apply_demo_catalogue
from sitewright.edge import questions, watch
from sitewright.edge.app import SiteListener
from sitewright.kit import clock
from sitewright.kit.db import open_database
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.migrations import migrate
from sitewright.kit.problems import Busy, Unavailable
from sitewright.kit.resources import Resources
from tests.edge.conftest import Door
from tests.edge.stage import FILES, HOST, Visitor, kind_of, open_shop
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.eventually import eventually


@pytest.fixture(scope="module")
def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path_factory.mktemp("away"))
    server.start()
    yield server
    with suppress(Exception):
        server.stop()


@pytest.fixture
async def postgres_to_stop(
    own_postgres: EmbeddedPostgres, door: tuple[Door, str], visitor: Visitor, resources: Resources
) -> AsyncIterator[EmbeddedPostgres]:
    """The server behind a listener that shows one site, and has seen its home page."""
    await migrate(own_postgres.url)
    owner = await asyncpg.connect(own_postgres.url)
    await apply_demo_catalogue(owner, MAIL.kinds)
    await open_shop(owner, resources)
    await owner.close()
    database = open_database(own_postgres.url, connections=4, wait_seconds=2, name="edge")
    door[0].listener = SiteListener(msgspec.structs.replace(resources, database=database))
    working = asyncio.create_task(door[0].listener.work())
    assert kind_of(await visitor.get("/")) == (200, "page")
    assert kind_of(await visitor.get("/", host="nobody.example")) == (404, "holding")
    yield own_postgres
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    await database.close()


async def test_the_database_goes_and_comes_back(
    postgres_to_stop: EmbeddedPostgres,
    visitor: Visitor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "sitewright.edge")
    monkeypatch.setattr(watch, "AGAIN_SECONDS", 0.05)
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

    monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + 600)
    assert kind_of(await visitor.get("/")) == (503, "offline"), "after that it is too old"

    await eventually(lambda: "not notified" in caplog.text)
    postgres_to_stop.start()

    async def is_back() -> bool:
        responses = [await visitor.get("/"), await visitor.get("/about")]
        return [response.status_code for response in responses] == [200, 200]

    await eventually(is_back, within=10)
    await eventually(lambda: "notified of changes again" in caplog.text)
    shown = [record.getMessage().partition(",")[0] for record in caplog.records if "notified" in record.getMessage()]
    assert shown == ["not notified of changes", "notified of changes again"], "once, however often it was tried"


def test_an_outage_is_logged_once_with_its_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "sitewright.edge")
    outage = watch.OutageLog()
    outage.connected()
    for _ in range(2):
        for _ in range(10):
            outage.failed(ConnectionRefusedError())
        outage.connected()
    shown = [record.getMessage() for record in caplog.records]
    began = "not notified of changes, trying again until it works: ConnectionRefusedError"
    assert shown == [began, "notified of changes again"] * 2


async def test_a_database_that_is_away_is_left_alone_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, asking = [], questions.Questions()

    async def question() -> str:
        asked.append(1)
        raise Unavailable

    for _ in range(5):
        with pytest.raises(Unavailable):
            await asking.ask("key", question)
    assert len(asked) == 1
    monkeypatch.setattr(clock, "stopwatch", lambda: time.perf_counter() + questions.LEAVE_ALONE_SECONDS)
    with pytest.raises(Unavailable):
        await asking.ask("key", question)
    assert len(asked) == 2


async def test_a_brand_that_uses_up_its_connections_does_not_stop_the_others(database_url: str, clean: None) -> None:
    database, asking = open_database(database_url, connections=4, wait_seconds=0.1, name="edge"), questions.Questions()

    async def question(brand_ref: int) -> int:
        async with database.transaction(brand_ref) as tx:
            found: int = await tx.fetchval("select current_brand()")
            return found

    async with AsyncExitStack() as held:
        for _ in range(3):
            await held.enter_async_context(database.transaction(OWN_BRAND))
        with pytest.raises(Busy):
            await asking.ask("own", partial(asking.ask, "nested", partial(question, OWN_BRAND)))
        assert await asking.ask("other", partial(question, OTHER_BRAND)) == OTHER_BRAND
    assert await asking.ask("own", partial(question, OWN_BRAND)) == OWN_BRAND
    await database.close()


async def test_whoever_has_something_to_show_does_not_wait_for_ever() -> None:
    asking, response = questions.Questions(), asyncio.Event()

    async def question() -> str:
        await response.wait()
        return "late"

    for _ in range(2):
        with pytest.raises(Unavailable):
            await asking.ask("key", question, 0.05)
    response.set()
    assert await asking.ask("key", question, 5) == "late"
    assert not asking.are_open
