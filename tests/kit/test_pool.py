"""The connection pool: its size, broken connections, waiting order, and the share of a tenant."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from sitewright.kit.pool import Connection, Pool


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[Pool]:
    made = Pool(lambda: asyncpg.connect(database_url), size=2)
    yield made
    await made.close()


async def test_a_released_connection_is_reused(pool: Pool) -> None:
    first = await pool.acquire(1)
    pool.release(first)
    assert await pool.acquire(1) is first
    pool.release(first)
    assert (pool.busy, pool.idle) == (0, 1)


async def test_there_are_never_more_than_its_size(pool: Pool) -> None:
    most = 0

    async def use() -> None:
        nonlocal most
        connection = await pool.acquire(10)
        most = max(most, pool.busy)
        await connection.fetchval("select pg_sleep(0.001)")
        pool.release(connection)

    await asyncio.gather(*(use() for _ in range(50)))
    assert (most, pool.busy, pool.idle) == (2, 0, 2)


async def test_the_longest_waiter_is_served_first(pool: Pool) -> None:
    held = [await pool.acquire(1), await pool.acquire(1)]
    served: list[int] = []

    async def queue_up(number: int) -> None:
        connection = await pool.acquire(5)
        served.append(number)
        pool.release(connection)

    waiting = [asyncio.create_task(queue_up(number)) for number in range(3)]
    await asyncio.sleep(0)
    for connection in held:
        pool.release(connection)
    await asyncio.gather(*waiting)
    assert served == [0, 1, 2]


async def test_waiting_times_out_and_leaves_the_queue(pool: Pool) -> None:
    held = [await pool.acquire(1), await pool.acquire(1)]
    with pytest.raises(TimeoutError):
        await pool.acquire(0.05)
    for connection in held:
        pool.release(connection)
    assert (pool.busy, pool.idle) == (0, 2)


async def test_a_closed_connection_is_replaced(pool: Pool) -> None:
    broken = await pool.acquire(1)
    broken.terminate()
    pool.release(broken)
    assert (pool.busy, pool.idle) == (0, 0)
    fresh = [await pool.acquire(1), await pool.acquire(1)]
    assert [await connection.fetchval("select 1") for connection in fresh] == [1, 1]
    for connection in fresh:
        pool.release(connection)


async def test_a_connection_that_broke_while_idle_is_not_acquired(pool: Pool) -> None:
    connection = await pool.acquire(1)
    pool.release(connection)
    connection.terminate()
    fresh = await pool.acquire(1)
    assert fresh is not connection
    assert await fresh.fetchval("select 1") == 1
    pool.release(fresh)


async def test_a_waiter_opens_a_connection_when_another_one_breaks(pool: Pool) -> None:
    held = [await pool.acquire(1), await pool.acquire(1)]
    waiting = asyncio.create_task(pool.acquire(5))
    await asyncio.sleep(0)
    held[0].terminate()
    pool.release(held[0])
    fresh = await waiting
    assert await fresh.fetchval("select 1") == 1
    for connection in (fresh, held[1]):
        pool.release(connection)
    assert (pool.busy, pool.idle) == (0, 2)


async def test_a_failed_connect_frees_its_slot(database_url: str) -> None:
    attempts = 0

    async def connect() -> Connection:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise ConnectionRefusedError
        return await asyncpg.connect(database_url)

    pool = Pool(connect, size=1)
    with pytest.raises(ConnectionRefusedError):
        await pool.acquire(1)
    connection = await pool.acquire(1)
    pool.release(connection)
    await pool.close()
    assert (pool.busy, pool.idle) == (0, 0)


async def test_a_waiter_cancelled_when_served_passes_the_connection_on(pool: Pool) -> None:
    held = [await pool.acquire(1), await pool.acquire(1)]
    waiting = asyncio.create_task(pool.acquire(5))
    await asyncio.sleep(0)
    pool.release(held[0])
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    pool.release(held[1])
    assert (pool.busy, pool.idle) == (0, 2)


async def test_a_slot_handed_to_a_waiter_is_not_taken_by_a_newcomer(database_url: str) -> None:
    pool = Pool(lambda: asyncpg.connect(database_url), size=1)
    held = await pool.acquire(1)
    waiting = asyncio.create_task(pool.acquire(5))
    await asyncio.sleep(0)
    held.terminate()
    pool.release(held)
    newcomer = asyncio.create_task(pool.acquire(5))
    first = await waiting
    assert pool.busy == 1
    pool.release(first)
    pool.release(await newcomer)
    assert (pool.busy, pool.idle) == (0, 1)
    await pool.close()


@pytest.fixture
async def shared(database_url: str) -> AsyncIterator[Pool]:
    """Four connections, of which one tenant may use three."""
    made = Pool(lambda: asyncpg.connect(database_url), size=4)
    yield made
    await made.close()


async def take(pool: Pool, tenant: int | None, count: int) -> list[Connection]:
    return [await pool.acquire(1, tenant) for _ in range(count)]


async def test_a_tenant_uses_at_most_its_share(shared: Pool) -> None:
    held = await take(shared, 1, 3)
    with pytest.raises(TimeoutError):
        await shared.acquire(0.05, 1)
    other = await shared.acquire(1, 2)
    shared.release(other, 2)
    for connection in held:
        shared.release(connection, 1)
    held = await take(shared, 1, 3)  # who gave up left nothing behind
    for connection in held:
        shared.release(connection, 1)
    assert (shared.busy, shared.idle) == (0, 4)


async def test_a_released_connection_goes_to_the_same_tenant_if_no_other_waits(shared: Pool) -> None:
    held = await take(shared, 1, 3)
    waiting = asyncio.create_task(shared.acquire(5, 1))
    await asyncio.sleep(0)
    assert not waiting.done()
    shared.release(held[0], 1)
    shared.release(await waiting, 1)
    for connection in held[1:]:
        shared.release(connection, 1)
    assert (shared.busy, shared.idle) == (0, 3)


async def test_waiting_tenants_are_served_round_robin(shared: Pool) -> None:
    held = await take(shared, None, 4)
    served: list[str] = []

    async def queue_up(tenant: int, name: str) -> None:
        connection = await shared.acquire(5, tenant)
        served.append(name)
        shared.release(connection, tenant)

    names = [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1")]
    waiting = [asyncio.create_task(queue_up(*name)) for name in names]
    await asyncio.sleep(0)
    shared.release(held[0])
    await asyncio.gather(*waiting)
    for connection in held[1:]:
        shared.release(connection)
    assert served == ["a1", "b1", "c1", "a2", "a3"]


async def test_authentication_counts_towards_no_tenant_and_is_charged_afterwards(shared: Pool) -> None:
    held = await take(shared, None, 4)
    assert shared.has_room(1)
    for _ in range(3):
        shared.charge(1, instead_of=None)
    assert not shared.has_room(1)
    for connection, tenant in zip(held, [1, 1, 1, None], strict=True):
        shared.release(connection, tenant)
    assert shared.has_room(1)


async def test_charging_another_tenant_serves_waiters_blocked_by_the_share(shared: Pool) -> None:
    held = await take(shared, 1, 3)
    spare = await shared.acquire(1)
    shared.release(spare)
    waiting = asyncio.create_task(shared.acquire(5, 1))
    await asyncio.sleep(0)
    assert (waiting.done(), shared.idle) == (False, 1)
    shared.charge(2, instead_of=1)
    assert await waiting is spare
    for connection, tenant in zip([*held, spare], [2, 1, 1, 1], strict=True):
        shared.release(connection, tenant)
    assert (shared.busy, shared.idle) == (0, 4)


async def test_a_failed_connect_is_not_counted_towards_the_share(database_url: str) -> None:
    async def connect() -> Connection:
        raise ConnectionRefusedError

    pool = Pool(connect, size=4)
    for _ in range(9):
        with pytest.raises(ConnectionRefusedError):
            await pool.acquire(1, 1)
    assert (pool.has_room(1), pool.busy) == (True, 0)


async def test_a_connection_that_closed_while_idle_is_not_handed_over(database_url: str) -> None:
    pool = Pool(lambda: asyncpg.connect(database_url), size=4)  # of which one tenant holds three at most
    held = [await pool.acquire(1, 1) for _ in range(3)]
    idle = await pool.acquire(1)
    pool.release(idle)
    waiting = asyncio.create_task(pool.acquire(5, 1))
    await asyncio.sleep(0)
    await idle.close()
    pool.charge(2, instead_of=1)
    given = await waiting
    assert (given.is_closed(), pool.busy, pool.idle) == (False, 4, 0)
    for connection, tenant in ((held[0], 2), (held[1], 1), (held[2], 1), (given, 1)):
        pool.release(connection, tenant)
    await pool.close()


async def test_connections_that_are_not_needed_are_closed_except_for_one(database_url: str) -> None:
    pool = Pool(lambda: asyncpg.connect(database_url), size=4)
    burst = [await pool.acquire(1) for _ in range(4)]
    for connection in burst:
        pool.release(connection)
    await pool.close_unused()
    assert pool.idle == 4, "all of them were needed a moment ago"
    needed = [await pool.acquire(1), await pool.acquire(1)]
    for connection in needed:
        pool.release(connection)
    await pool.close_unused()
    assert (pool.busy, pool.idle) == (0, 3)
    assert [connection.is_closed() for connection in needed] == [False, False]
    await pool.close_unused()
    assert (pool.busy, pool.idle) == (0, 1)
    again = [await pool.acquire(1) for _ in range(4)]
    assert pool.busy == 4
    for connection in again:
        pool.release(connection)
    await pool.close()


async def test_a_broken_unused_connection_frees_its_place(pool: Pool) -> None:
    held = [await pool.acquire(1), await pool.acquire(1)]
    for connection in held:
        pool.release(connection)
    await pool.close_unused()
    held[0].terminate()
    await pool.close_unused()
    assert (pool.busy, pool.idle) == (0, 1)
