"""Editors type while the database is killed: a few in `make test`, 20 of one site and 200 of others in `make chaos`."""

from collections.abc import AsyncIterator
from functools import partial

import pytest

from tests.chaos.editors import Notes, check, editing
from tests.chaos.stage import open_clients, report
from tests.chaos.test_kills import DatabaseKiller
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.service import TWO_OF_EACH, Service, owner_of, running_service

TOGETHER, ALONE = share(2, 20), share(5, 200)
BLOCKS = share(2, 5)
KILLS = share(1, 8)
CHANGES_BETWEEN = share(15, 300)
UNLIMITED = {"login_failures_per_address": 100_000}


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    async with running_service(tmp_path_factory.mktemp("editors") / "var", **TWO_OF_EACH, **UNLIMITED) as running:
        yield running


async def test_editors_lose_and_overwrite_nothing_when_the_database_is_killed(service: Service) -> None:
    killer = DatabaseKiller()
    async with open_clients(service, 1) as [client]:
        async with editing(service, client, "typing", together=TOGETHER, alone=ALONE, blocks=BLOCKS) as notes:
            for number in range(KILLS):
                await eventually(partial(has_more, notes, notes.acknowledged + CHANGES_BETWEEN))
                await killer.kill(service, number)
            await eventually(partial(has_more, notes, notes.acknowledged + CHANGES_BETWEEN))
        async with owner_of(service) as rows:
            await check(notes, rows)
    assert set(notes.heard) <= {"200", "409", "503"}
    assert notes.heard["409"] > 0, "nobody was in anybody's way"
    report(
        f"{TOGETHER} editors of one site and {ALONE} of others, {KILLS} kills: {notes.acknowledged} changes"
        f" acknowledged, {notes.repeated} of them by a repetition; heard {dict(notes.heard)}"
    )


def has_more(notes: Notes, count: int) -> bool:
    return notes.acknowledged >= count
