"""Background jobs in the console: only system-owners see and retry them."""

import re

import httpx

from sitewright.kit.resources import Resources
from tests.support.browsing import page_text
from tests.support.operators import send
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/jobs"


async def add(owner: OwnerConnection, kind: str, status: str, reason: str | None = None) -> int:
    ref: int = await owner.fetchval(
        "insert into jobs.queue (priority, entrypoint, payload, status, headers, execute_after, updated)"
        " values (0, $1, '', $2::text::jobs.job_status, 'null', now() + interval '1 day', now()) returning id",
        kind,
        status,
    )
    if reason is not None:
        await owner.execute(
            "insert into jobs.log (job_id, status, entrypoint, priority, traceback)"
            " values ($1, 'exception', $2, 0, jsonb_build_object('exception_message', $3::text))",
            ref,
            kind,
            reason,
        )
    return ref


def numbers(response: httpx.Response) -> list[int]:
    return [int(each) for each in re.findall(r'data-label="Number">(\d+)', response.text)]


async def test_lists_and_retries_jobs(log_in: LogIn, owner_connection: OwnerConnection, resources: Resources) -> None:
    owner = await log_in("system-owner")
    await owner_connection.execute("delete from jobs.queue")
    waiting, running = await add(owner_connection, "write", "queued"), await add(owner_connection, "write", "picked")
    failed, other = [await add(owner_connection, "break", "failed", "<went> wrong") for _ in range(2)]
    page = await owner.get(PATH)
    assert numbers(page) == [other, failed, running, waiting]
    assert "&lt;went&gt; wrong" in page.text
    assert numbers(await owner.get(f"{PATH}?state=failed")) == [other, failed]
    assert numbers(await owner.get(f"{PATH}?state=running")) == [running]
    assert numbers(await owner.get(f"{PATH}?kind=write&state=waiting")) == [waiting]
    assert len((await owner.get(f"{PATH}.csv")).text.splitlines()) == 5
    retried = await send(owner, f"{PATH}/{failed}/retry")
    assert "The job is on the queue again." in page_text(await owner.get(retried.headers["location"]))
    assert numbers(await owner.get(f"{PATH}?state=failed")) == [other]
    assert (await send(owner, f"{PATH}/{failed}/retry")).status_code == 404
    assert (await send(owner, f"{PATH}/retry")).headers["location"] == f"{PATH}?done=retried_all"
    assert numbers(await owner.get(f"{PATH}?state=failed")) == []
    assert "Run all failed jobs again" not in page_text(await owner.get(PATH))
    entries = await owner_connection.fetch(
        "select subject_ref, brand_ref, actor from audit_entries where subject = 'job' order by ref"
    )
    assert [row["subject_ref"] for row in entries] == [failed, other]
    assert all(row["brand_ref"] is None and row["actor"].startswith("operator:") for row in entries)


async def test_works_with_and_without_a_chosen_brand(log_in: LogIn) -> None:
    owner = await log_in("system-owner")
    assert (await owner.get(PATH)).status_code == 200
    await send(owner, "/console/brand", brandRef="2")
    assert (await owner.get(PATH)).status_code == 200


async def test_only_system_owners_see_them(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    failed = await add(owner_connection, "break", "failed")
    for username in ("brand-admin", "support", "viewer"):
        client = await log_in(username)
        for path in (PATH, f"{PATH}.csv"):
            assert (await client.get(path)).status_code == 403, username
        for path in (f"{PATH}/retry", f"{PATH}/{failed}/retry"):
            assert (await send(client, path)).status_code == 403, username
    owner = await log_in("system-owner")
    assert (await owner.post(f"{PATH}/retry", data={"token": ""})).status_code == 403, "without a token"
    assert await owner_connection.fetchval("select status::text from jobs.queue where id = $1", failed) == "failed"


async def test_in_other_languages(log_in: LogIn) -> None:
    owner = await log_in("system-owner")
    for language in ("de", "es", "fr", "pt"):
        await send(owner, "/console/me/language", language=language)
        assert f'<html lang="{language}">' in (await owner.get(PATH)).text
