"""A worker that is killed half-way: the report is finished all the same, by the next one."""

import os
import signal

import httpx

from tests.accounts.reports.conftest import Held
from tests.accounts.reports.support import ask, opened
from tests.support.eventually import eventually
from tests.support.service import run_command

WAITING = "select count(*) from pg_locks where relation = 'charges'::regclass and not granted"
BEGUN = f"select starts from user_reports where finished_at is null and ({WAITING}) = 1"
LEFT = """
    select count(*) from user_report_pieces p join user_reports r on r.ref = p.report_ref and r.attempt <> p.attempt
"""


async def told(held: Held, query: str, value: int) -> None:
    async def is_told() -> bool:
        return bool(await held.holding.fetchval(query) == value)

    await eventually(is_told, within=60)


async def finished(client: httpx.AsyncClient, path: str) -> httpx.Response:
    async def answer() -> httpx.Response | None:
        got = await client.get(path)
        return got if got.status_code == 200 else None

    response: httpx.Response = await eventually(answer, within=60)
    return response


async def test_a_killed_worker_is_followed_by_another(held: Held) -> None:
    for starts in (1, 2, 3):
        await told(held, BEGUN, starts)
        os.kill(held.service.pids("worker")[-1], signal.SIGKILL)
        await held.end_leases()
    await told(held, BEGUN, 4)
    async with held.service.client() as client:
        assert (await client.get(held.path)).status_code == 202
        await held.let_go()
        link = (await finished(client, held.path)).json()["report"]
        assert opened((await client.get(link)).content)["users.csv"] != []
    assert await held.holding.fetchval(LEFT) == 0


async def test_several_are_made_at_once_by_the_real_worker(held: Held) -> None:
    """Both slots wait for the same table; what they leave is made afterwards."""
    async with held.service.client() as client:
        paths = [held.path, *[await ask(client) for _ in range(3)]]
        await told(held, WAITING, 2)
        await held.let_go()
        for path in paths:
            await finished(client, path)


async def test_the_operator_sees_what_became_of_them(held: Held) -> None:
    async with held.service.client() as client:
        await held.let_go()
        await finished(client, held.path)
    code, printed = await run_command(held.service.data_dir, "reports", "list")
    assert (code, "finished, until" in printed) == (0, True)
    await held.holding.execute(
        "update user_reports set finished_at = null, expires_at = null, failed_at = now(), failure = 'a [reason]'"
        " where ref = (select max(ref) from user_reports)"
    )
    code, printed = await run_command(held.service.data_dir, "reports", "list", "--failed", "--limit", "1")
    assert (code, "a [reason]" in printed, "finished" in printed) == (0, True, False)
