"""Generating reports: one snapshot for all files, concurrency, failures and erasure."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from sitewright.accounts.reports import generation, service
from sitewright.accounts.reports.files import store as contents
from sitewright.accounts.reports.files.archive import Archive
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import claim, finished, generate_all, opened, report, request_report
from tests.support.eventually import eventually
from tests.support.responses import problem_in
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection, make_user

FILES = ["users.csv", "packages.csv", "events.csv", "charges.csv"]


@asynccontextmanager
async def held_before(name: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[asyncio.Event, asyncio.Event]]:
    """Every attempt waits before it copies that file; yields the event that it waits and the one that resumes it."""
    copy_file, waits, go_on = contents.copy_file, asyncio.Event(), asyncio.Event()

    async def copy_later(tx, file_name, *others):  # type: ignore[no-untyped-def]
        if file_name == name:
            waits.set()
            await go_on.wait()
        await copy_file(tx, file_name, *others)

    monkeypatch.setattr(contents, "copy_file", copy_later)
    yield waits, go_on
    monkeypatch.setattr(contents, "copy_file", copy_file)


async def test_all_files_are_of_one_snapshot(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user_ref = await make_user(owner_connection, resources)
    path = await request_report(owner)
    async with held_before("packages.csv", monkeypatch) as (waits, go_on):
        made = asyncio.create_task(generate_all(resources))
        await waits.wait()
        await make_user(owner_connection, resources, username="too late")
        assert (await owner.put(f"/users/{user_ref}", json={"username": "changed"})).status_code == 200
        go_on.set()
        await made
    files = opened((await anonymous.get((await owner.get(path)).json()["report"])).content)
    assert [row["username"] for name in FILES[:2] for row in files[name]] == ["ann", "ann"]


async def test_a_report_has_longer_timeouts(
    owner: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The timeouts of other sessions do not apply to it."""
    limits: dict[str, str] = {}
    use_snapshot = contents.use_snapshot

    async def look(tx):  # type: ignore[no-untyped-def]
        await use_snapshot(tx)
        for name in ("statement_timeout", "idle_in_transaction_session_timeout", "transaction_read_only"):
            limits[name] = await tx.fetchval(f"show {name}")

    monkeypatch.setattr(contents, "use_snapshot", look)
    await finished(owner, resources)
    assert list(limits.values()) == ["1h", "5min", "on"]
    async with resources.database.connection() as connection:
        assert await connection.fetchval("show statement_timeout") == "1min"


async def test_many_rows_are_complete_and_in_order(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    """More than one batch, and more than one piece."""
    await owner_connection.execute(
        "insert into users (brand_ref, ref, first_name, last_name, username, username_key, email, email_key,"
        " language_code, created_at, updated_at)"
        " select 1, n, md5(n::text), md5(random()::text), 'u' || n, 'u' || n, md5(random()::text) || '@mail.example',"
        " '', 'en', now(), now() from generate_series(1, 20000) n"
    )
    rows = (await report(owner, resources))["users.csv"]
    assert [row["username"] for row in rows] == [f"u{n}" for n in range(1, 20001)]
    assert await owner_connection.fetchval("select count(*) from user_report_pieces") > 1


async def test_concurrent_reports_are_each_generated_once(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    paths = [(client, await request_report(client)) for client in (owner, owner, other_brand, owner, other_brand)]
    await asyncio.gather(*(generate_all(resources) for _ in range(10)))
    await generate_all(resources)
    assert {(await client.get(path)).status_code for client, path in paths} == {200}
    assert await owner_connection.fetchval("select max(starts) from user_reports") == 1


async def test_brands_take_turns(
    owner: httpx.AsyncClient, other_brand: httpx.AsyncClient, resources: Resources
) -> None:
    for client in (owner, owner, owner, other_brand):
        await request_report(client)
    assert {each.brand_ref for each in await claim(resources, 2)} == {1, 2}
    assert {each.brand_ref for each in await claim(resources)} == {1}


async def test_a_leased_report_is_not_claimed_again(
    owner: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await request_report(owner)
    async with held_before("users.csv", monkeypatch) as (waits, go_on):
        made = asyncio.create_task(generate_all(resources))
        await waits.wait()
        assert await claim(resources) == []
        go_on.set()
        await made
    assert (await owner.get(path)).status_code == 200


async def test_an_interrupted_attempt_is_retried_after_its_lease(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker that dies leaves behind: a connection that ends, and pieces of half a file."""
    path = await request_report(owner)
    [item] = await claim(resources)
    async with held_before("charges.csv", monkeypatch) as (waits, _):
        made = asyncio.create_task(generation.generate(resources, item))
        await waits.wait()
        await owner_connection.execute("insert into user_report_pieces values (1, $1, 1, 0, 'half a file')", item.ref)
        made.cancel()
        await asyncio.wait([made])
    assert (await owner.get(path)).status_code == 202
    clock.shift(generation.LEASE.total_seconds() + 1)
    await generate_all(resources)
    assert (await owner.get(path)).status_code == 200
    assert await owner_connection.fetchval("select count(*) from user_report_pieces where attempt = 1") == 0


async def test_a_report_that_always_fails_is_dead_lettered(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stumble(*_: object) -> None:
        raise RuntimeError("of no use to callers")

    monkeypatch.setattr(contents, "copy_file", stumble)
    path = await request_report(owner)
    for number in range(len(generation.BACK_OFF.delays) + 1):
        clock.shift(number * 150)
        assert (await owner.get(path)).status_code == 202
        await generate_all(resources)
    response = await owner.get(path)
    assert problem_in(response) == (409, "reportFailed")
    assert await owner_connection.fetchval("select count(*) from user_report_pieces") == 0


async def test_a_file_that_is_too_large_is_retried_as_zip64(
    owner: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 10)
    path = await request_report(owner)
    await generate_all(resources)
    assert (await owner.get(path)).status_code == 202
    clock.shift(2)
    await generate_all(resources)
    assert (await owner.get(path)).status_code == 200


async def test_a_report_finished_after_its_time_limit_has_failed(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await request_report(owner)
    async with held_before("charges.csv", monkeypatch) as (waits, go_on):
        made = asyncio.create_task(generate_all(resources))
        await waits.wait()
        clock.shift(3601)
        assert (await owner.get(path)).status_code == 409
        go_on.set()
        await made
    assert (await owner.get(path)).status_code == 409
    await generation.SCHEDULES[0].run(resources)
    assert await owner_connection.fetchval("select count(*) from user_report_pieces") == 0


async def test_a_stuck_report_releases_its_connections(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    """A table is locked; the connection is released when the report's time limit has passed."""
    await request_report(owner)
    clock.shift(3599.5)
    async with owner_connection.transaction():
        await owner_connection.execute("lock table charges in access exclusive mode")
        await asyncio.wait_for(generate_all(resources), HANG_SECONDS)
    assert resources.database.pool.busy == 0


async def test_the_archive_waits_for_running_threads() -> None:
    """Whatever goes wrong, no thread writes into it afterwards."""

    async def refuse(_number: int, _piece: bytes) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        async with Archive(refuse, clock.now(), may_be_huge=False) as archive:
            await archive.begin("users.csv")
            for _ in range(100):
                await archive.write(bytes(2**20))
            await archive.end()
            await archive.close()


# --- Anonymized users -------------------------------------------------------------------------------------------------


async def test_a_finished_report_is_deleted_when_a_user_in_it_is_anonymized(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    user_ref = await make_user(owner_connection, resources)
    everybody = await finished(owner, resources)
    others = await finished(owner, resources, dateTo="2020-01-01")
    await owner.post(f"/users/{user_ref}/anonymise")
    assert (await anonymous.get(everybody)).status_code == 404
    assert (await anonymous.get(others)).status_code == 200
    assert await owner_connection.fetchval("select count(distinct report_ref) from user_report_pieces") == 1


async def test_reports_of_other_brands_are_kept(
    owner: httpx.AsyncClient,
    other_brand: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
) -> None:
    user_ref = await make_user(owner_connection, resources)
    theirs = await finished(other_brand, resources)
    await owner.post(f"/users/{user_ref}/anonymise")
    assert (await anonymous.get(theirs)).status_code == 200


async def test_a_pending_report_is_restarted_when_a_user_is_anonymized(
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user_ref = await make_user(owner_connection, resources, first_name="Nobody must see this")
    path = await request_report(owner)
    async with held_before("packages.csv", monkeypatch) as (waits, go_on):
        made = asyncio.create_task(generate_all(resources))
        await waits.wait()
        assert (await owner.post(f"/users/{user_ref}/anonymise")).status_code == 204
        go_on.set()
        await made
    assert (await owner.get(path)).status_code == 202
    clock.shift(2)
    await generate_all(resources)
    files = opened((await anonymous.get((await owner.get(path)).json()["report"])).content)
    assert [row["firstName"] for row in files["users.csv"]] == ["anonymised"]


async def test_an_attempt_waits_for_a_concurrent_anonymization(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    """The report is requested after the anonymizing transaction looked for reports, and starts before its commit."""
    user_ref = await make_user(owner_connection, resources)
    async with resources.database.transaction(1) as tx:
        await tx.execute("update users set first_name = 'anonymised' where ref = $1", user_ref)
        await service.erase_user(tx, user_ref)
        path = await request_report(owner)
        made = asyncio.create_task(generate_all(resources))
        waiting = "select exists (select from pg_locks where locktype = 'advisory' and not granted)"
        await eventually(lambda: owner_connection.fetchval(waiting))
    await made
    files = opened((await anonymous.get((await owner.get(path)).json()["report"])).content)
    assert [row["firstName"] for row in files["users.csv"]] == ["anonymised"]
