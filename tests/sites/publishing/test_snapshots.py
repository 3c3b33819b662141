"""Retention of snapshots, and roll-back to one."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from sitewright.processes import JOB_KINDS
from sitewright.sites.publishing import jobs, service
from sitewright.sites.publishing.jobs import KEPT_VERSIONS, PRUNE, Snapshots, prune_snapshots
from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.service import run_command

FEW = 3


async def queued(stage: Stage) -> list[Snapshots]:
    rows = await stage.rows.fetch("select payload from jobs.queue where entrypoint = $1", PRUNE.name)
    return [msgspec.json.decode(row[0], type=Snapshots) for row in rows]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep fewer versions, since each takes time to publish."""
    assert KEPT_VERSIONS == 50
    for module in (jobs, service):
        monkeypatch.setattr(module, "KEPT_VERSIONS", FEW)


async def test_the_last_ones_are_kept(stage: Stage, few: None) -> None:
    await stage.page()
    for _ in range(FEW):
        await stage.publish()
    assert await queued(stage) == []
    for _ in range(3):
        await stage.publish()
    assert await queued(stage) == [Snapshots(OWN_BRAND, stage.ref)]
    await prune_snapshots(Snapshots(OWN_BRAND, stage.ref), stage.resources)
    assert await stage.versions() == list(range(4, 4 + FEW))
    assert await stage.rows.fetchval("select min(version_ref) from site_files") == 4
    assert PRUNE in JOB_KINDS


async def test_the_current_version_is_kept_however_old(
    stage: Stage, few: None, database_url: str, tmp_path: Path
) -> None:
    await stage.page()
    for _ in range(FEW + 2):
        await stage.publish()
    code, said = await run_command(
        tmp_path, "sites", "rollback", str(stage.ref), "--version", "1", database_url=database_url
    )
    assert (code, said) == (0, f"Site {stage.ref} shows version 1.\n")
    await prune_snapshots(Snapshots(OWN_BRAND, stage.ref), stage.resources)
    assert await stage.versions() == [1, *range(3, 3 + FEW)]


async def test_an_older_version_is_shown_again_until_the_next_publish(
    stage: Stage, database_url: str, tmp_path: Path
) -> None:
    page_ref = await stage.page("home", "First")
    await stage.publish()
    await stage.client.put(f"{stage.path}/pages/{page_ref}", json={"title": "Second"})
    await stage.publish()
    before = await stage.site()
    command = ("sites", "rollback", str(stage.ref), "--version", "1")
    assert (await run_command(tmp_path, *command, database_url=database_url))[0] == 0
    assert "<title>First</title>" in await stage.shown()
    assert await stage.site() == before
    assert len(await stage.events()) == 2
    action = await stage.rows.fetchrow("select action, details from audit_entries order by ref desc limit 1")
    assert action is not None
    assert (action[0], msgspec.json.decode(action[1])) == ("roll back", {"versionRef": 1, "from": 2})
    assert (await stage.publish())["versionRef"] == 3
    assert "<title>Second</title>" in await stage.shown()


async def test_versions_are_listed(stage: Stage, database_url: str, tmp_path: Path) -> None:
    await stage.page()
    await stage.publish()
    await stage.publish()
    code, said = await run_command(tmp_path, "sites", "versions", str(stage.ref), database_url=database_url)
    assert code == 0
    lines = [line.replace("│", " ").split() for line in said.splitlines() if "consult" in line]
    assert [(line[0], line[-1]) for line in lines] == [("2", "shown"), ("1", lines[1][-1])]
    assert lines[1][-1] != "shown"


async def test_unknown_sites_and_versions_are_explained(stage: Stage, database_url: str, tmp_path: Path) -> None:
    await stage.publish()
    received = await asyncio.gather(
        run_command(tmp_path, "sites", "rollback", str(stage.ref), "--version", "9", database_url=database_url),
        run_command(tmp_path, "sites", "rollback", "999999", "--version", "1", database_url=database_url),
        run_command(tmp_path, "sites", "versions", "999999", database_url=database_url),
    )
    assert [code for code, _ in received] == [1, 1, 1]
    assert "The site has no such version" in received[0][1]
    assert "There is no site with this ref" in received[1][1]


async def test_snapshots_of_an_anonymized_account_holder_are_deleted(stage: Stage) -> None:
    await stage.page()
    await stage.publish()
    assert (await stage.client.post(f"/users/{stage.user_ref}/anonymise")).status_code == 204
    assert await stage.versions() == []
    assert (await stage.site())["live"] is False
    response = await stage.client.put(stage.path, json={"live": 1})
    assert problem_in(response) == (409, "neverPublished")
