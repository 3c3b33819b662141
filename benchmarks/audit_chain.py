"""The cost of the audit log's hash chain for callers: POSTs that each add an entry, with the chain and without it."""

import asyncio
import itertools
from collections.abc import Iterator

import asyncpg
import msgspec

from benchmarks.contest import interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import requests_per_second
from benchmarks.measurement import Measurement
from benchmarks.population import Population
from benchmarks.requests import address_of, signed_request
from benchmarks.service import Service

CHAINED = Goal("POST with the audit log's hash chain / without it", 0.95)
USERS = Population(brand_ref=1, first_ref=7_000_000_000, users=1_000, package="free")
SECONDS = 2.0


def measure(service: Service) -> list[Figure]:
    asyncio.run(USERS.put_into(service.database_url))
    requests = _requests(service)
    try:
        chained, unchained = interleave(
            "audited calls",
            Posts("with the chain", service, requests, is_chained=True),
            Posts("without it", service, requests, is_chained=False),
            seconds=SECONDS,
        )
    finally:
        asyncio.run(_set_chaining(service.database_url, True))
    asyncio.run(_check(service.database_url))
    return [chained.against(unchained, CHAINED, "POST /users/:userRef/auto-login, one API process, ")]


class Posts(msgspec.Struct, frozen=True):
    """Each creates a log-in hash: two rows, one of them an entry. The worker chains the entries meanwhile."""

    name: str
    service: Service
    requests: Iterator[bytes]
    is_chained: bool

    def rate(self, count: int) -> float:
        asyncio.run(_set_chaining(self.service.database_url, self.is_chained))
        return requests_per_second(address_of(self.service.url), list(itertools.islice(self.requests, count)))


def _requests(service: Service) -> Iterator[bytes]:
    credentials = service.credentials(USERS.brand_ref)
    for user_ref in itertools.cycle(USERS.refs):
        yield signed_request(credentials, "POST", f"{service.url}/users/{user_ref}/auto-login", b"{}")


async def _set_chaining(database_url: str, is_chained: bool) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        f"alter table audit_entries {'enable' if is_chained else 'disable'} trigger list_unchained_audit_entries"
    )
    await owner.close()


async def _check(database_url: str) -> None:
    """Check that entries were chained, and others were not."""
    owner = await asyncpg.connect(database_url)
    entries, links = await owner.fetchrow(CHECK, USERS.brand_ref, USERS.first_ref, USERS.last_ref) or (0, 0)
    await owner.close()
    if not 0 < links < entries:
        raise MeasurementFailed(f"of {entries} entries {links} are chained")


CHECK = """
    select count(*), count(c.entry_ref)
      from audit_entries e left join (
           select entry_ref from audit_chain where brand_ref = $1
           union all select entry_ref from audit_inbox where brand_ref = $1) c on c.entry_ref = e.ref
     where e.brand_ref = $1 and e.subject = 'user' and e.subject_ref between $2 and $3
"""

MEASUREMENT = Measurement(goals=[CHAINED], measure=measure)
