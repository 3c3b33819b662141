"""Reports asked for, made and opened."""

import csv
import io
import zipfile
from typing import Any

import httpx

from sitewright.accounts.reports import generation, store
from sitewright.kit import clock
from sitewright.kit.outbox import Claimed
from sitewright.kit.resources import Resources
from tests.support.trust import TRUST

REPORTS = "/user-reports"
Rows = list[dict[str, str]]


async def ask(client: httpx.AsyncClient, **filters: Any) -> str:
    """The path of a new report."""
    answer = await client.post(REPORTS, json=filters) if filters else await client.post(REPORTS)
    assert answer.status_code == 200, answer.text
    return f"{REPORTS}/{answer.json()['job']}"


async def make_all(resources: Resources) -> None:
    """What the worker does, here and now."""
    await generation.LOOP.run_once(resources)


async def claim(resources: Resources, most: int = 100) -> list[Claimed]:
    now = clock.now()
    async with resources.database.connection() as connection:
        return await store.claim(connection, now, now + generation.LEASE, most)


async def finished(client: httpx.AsyncClient, resources: Resources, **filters: Any) -> str:
    """The link to a new, finished report."""
    path = await ask(client, **filters)
    await make_all(resources)
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    link: str = answer.json()["report"]
    return link


def opened(content: bytes) -> dict[str, Rows]:
    """The rows of every file, each by the names in its header row."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: list(csv.DictReader(io.StringIO(archive.read(name).decode()))) for name in archive.namelist()}


async def report(client: httpx.AsyncClient, resources: Resources, **filters: Any) -> dict[str, Rows]:
    """The files of a new report, downloaded by somebody without credentials."""
    link = await finished(client, resources, **filters)
    async with httpx.AsyncClient(trust_env=False, verify=TRUST) as anyone:
        answer = await anyone.get(link)
    assert answer.status_code == 200, answer.text
    return opened(answer.content)
