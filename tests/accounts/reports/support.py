"""Requests, generates and opens reports."""

import csv
import io
import zipfile
from typing import Any

import httpx

from sitewright.accounts.reports import generation, store
from sitewright.kit import clock
from sitewright.kit.outbox import Claimed
from sitewright.kit.resources import Resources
from tests.support.http_clients import http_client

REPORTS = "/user-reports"
Rows = list[dict[str, str]]


async def request_report(client: httpx.AsyncClient, **filters: Any) -> str:
    """The path of a new report."""
    response = await client.post(REPORTS, json=filters) if filters else await client.post(REPORTS)
    assert response.status_code == 200, response.text
    return f"{REPORTS}/{response.json()['job']}"


async def generate_all(resources: Resources) -> None:
    """Generates all due reports in this process."""
    await generation.LOOP.run_once(resources)


async def claim(resources: Resources, most: int = 100) -> list[Claimed]:
    now = clock.now()
    async with resources.database.connection() as connection:
        return await store.claim(connection, now, now + generation.LEASE, most)


async def finished(client: httpx.AsyncClient, resources: Resources, **filters: Any) -> str:
    """The link to a new, finished report."""
    path = await request_report(client, **filters)
    await generate_all(resources)
    response = await client.get(path)
    assert response.status_code == 200, response.text
    link: str = response.json()["report"]
    return link


def opened(content: bytes) -> dict[str, Rows]:
    """The rows of every file, each by the names in its header row."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: list(csv.DictReader(io.StringIO(archive.read(name).decode()))) for name in archive.namelist()}


async def report(client: httpx.AsyncClient, resources: Resources, **filters: Any) -> dict[str, Rows]:
    """The files of a new report, downloaded without credentials."""
    link = await finished(client, resources, **filters)
    async with http_client() as anyone:
        response = await anyone.get(link)
    assert response.status_code == 200, response.text
    return opened(response.content)
