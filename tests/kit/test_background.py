"""Who works for the worker in the database's server, and the cores they keep to."""

import os
from collections.abc import AsyncIterator

import asyncpg
import pytest

from sitewright.kit.background import BACKEND_NICENESS, Background
from sitewright.kit.pool import Connection
from sitewright.kit.scheduling import allowed_cores

EVERYWHERE = allowed_cores()
ASIDE = EVERYWHERE[1:] or EVERYWHERE


@pytest.fixture
async def connections(database_url: str) -> AsyncIterator[list[Connection]]:
    opened = [await asyncpg.connect(database_url) for _ in range(2)]
    yield opened
    for connection in opened:
        await connection.close()


def cores_of(connection: Connection) -> list[int]:
    return sorted(os.sched_getaffinity(connection.get_server_pid()))


async def test_backends_go_aside_with_the_process_and_back(connections: list[Connection]) -> None:
    before, meanwhile = connections
    background = Background(is_server_here=True)
    background.opened(before)
    with background.aside():
        background.opened(meanwhile)
        assert [cores_of(before), cores_of(meanwhile), allowed_cores()] == [ASIDE] * 3
    assert [cores_of(before), cores_of(meanwhile), allowed_cores()] == [EVERYWHERE] * 3
    assert {os.getpriority(os.PRIO_PROCESS, each.get_server_pid()) for each in connections} == {BACKEND_NICENESS}


async def test_what_fails_aside_leaves_nobody_there(connections: list[Connection]) -> None:
    background = Background(is_server_here=True)
    background.opened(connections[0])

    def fail() -> None:
        with background.aside():
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [cores_of(connections[0]), allowed_cores()] == [EVERYWHERE] * 2


async def test_a_connection_that_was_closed_is_no_matter(connections: list[Connection]) -> None:
    background = Background(is_server_here=True)
    for connection in connections:
        background.opened(connection)
    await connections[0].close()
    with background.aside():
        assert cores_of(connections[1]) == ASIDE
    assert cores_of(connections[1]) == EVERYWHERE


async def test_processes_of_a_server_that_is_not_ours_are_left_alone(connections: list[Connection]) -> None:
    background = Background(is_server_here=False)
    background.opened(connections[0])
    with background.aside():
        assert [cores_of(connections[0]), allowed_cores()] == [EVERYWHERE, ASIDE]
    assert os.getpriority(os.PRIO_PROCESS, connections[0].get_server_pid()) == 0
