"""The check of `sitewright doctor` for the replicas that edge servers read from."""

import asyncpg

from sitewright.cli.checkup import Finding
from sitewright.kit.replicas import replica_urls
from sitewright.kit.replicas.store import has_replayed
from sitewright.settings import Settings

WAIT_SECONDS = 5


async def check_replicas(settings: Settings) -> list[Finding]:
    urls = replica_urls(settings.replica_database_url)
    return [await _check(number, url) for number, url in enumerate(urls, 1)]


async def _check(number: int, url: str) -> Finding:
    what = f"replica {number} of SITEWRIGHT_REPLICA_DATABASE_URL"
    try:
        connection = await asyncpg.connect(url, timeout=WAIT_SECONDS)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        reason = str(error) or "No response"
        remedy = f"{reason}. Edge servers read from the others meanwhile. Check that it runs, and the URL."
        return Finding(ok=False, what=what, remedy=remedy)
    try:
        is_replica = await has_replayed(connection, 0)
    finally:
        await connection.close(timeout=WAIT_SECONDS)
    remedy = "It is not a replica: edge servers do not read from it. Name streaming replicas of the primary only."
    return Finding(ok=is_replica, what=what, remedy=remedy)
