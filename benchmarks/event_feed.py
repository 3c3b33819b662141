"""Reading events from the feed, page by page, against a bare SELECT of the same rows."""

import asyncio
import time

import asyncpg
import msgspec
import uvloop

from benchmarks.contest import interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.load import read_body
from benchmarks.measurement import Measurement
from benchmarks.requests import address_of, signed_request
from benchmarks.service import Service

SPEED = Goal("events read from the feed / by a bare SELECT of the same rows", 0.4)
BRAND = 1
EVENTS = 200_000
PAGE = 5000
"""The largest page: a reader that catches up asks for it."""
ROWS = 1000
"""asyncpg is fastest with a thousand rows at a time."""
BUFFER_BYTES = 2**22
"""More than a page, so that the client reads it without pauses."""
_FILL = """
with taken as (
    insert into event_sequences (brand_ref, last) values ($1, $2)
    on conflict (brand_ref) do update set last = event_sequences.last + $2 returning last - $2 as before)
insert into events (brand_ref, sequence, id, kind, body, at)
select $1, before + n, gen_random_uuid(), 'user.updated', json_build_object(
           'eventName', 'user.updated', 'id', gen_random_uuid(), 'created', '2026-01-31T12:00:00Z',
           'accountHolder', json_build_object('ref', n), 'fields', json_build_array('city', 'phoneNumber'),
           'sequence', before + n), now()
  from taken, generate_series(1, $2) n
"""
_FIRST = "select max(sequence) - $2 from events where brand_ref = $1"
_PAGE = "select body::text from events where brand_ref = $1 and sequence > $2 order by sequence limit $3"


class Feed(msgspec.Struct, frozen=True):
    """Calls one after another, signed before the clock starts, like those of the other figures. Each response must
    name the sequence that the next call sends."""

    name: str
    service: Service
    first: int

    def rate(self, count: int) -> float:
        return uvloop.run(self._rate(count))

    async def _rate(self, count: int) -> float:
        starts = [self.first + number * PAGE % EVENTS for number in range(-(-count // PAGE))]
        requests = [(self._request(start), b'"next":"%d"}' % (start + PAGE)) for start in starts]
        reader, writer = await asyncio.open_connection(*address_of(self.service.url), limit=BUFFER_BYTES)
        begun = time.perf_counter()
        for request, end in requests:
            writer.write(request)
            page = await read_body(reader)
            if not page.endswith(end):
                raise MeasurementFailed(f"a page of the feed ends with {page[-30:]!r}")
        seconds = time.perf_counter() - begun
        writer.close()
        return len(requests) * PAGE / seconds

    def _request(self, after: int) -> bytes:
        url = f"{self.service.url}/events?after={after}&limit={PAGE}"
        return signed_request(self.service.credentials(BRAND), "GET", url)


class Select(msgspec.Struct, frozen=True):
    """The same events by asyncpg alone."""

    name: str
    database_url: str
    first: int

    def rate(self, count: int) -> float:
        return uvloop.run(self._rate(count))

    async def _rate(self, count: int) -> float:
        connection = await asyncpg.connect(self.database_url)
        following, read = self.first, 0
        begun = time.perf_counter()
        while read < count:
            rows = await connection.fetch(_PAGE, BRAND, following, ROWS)
            read += len(rows)
            following += ROWS
            if following >= self.first + EVENTS:
                following = self.first
        seconds = time.perf_counter() - begun
        await connection.close()
        return read / seconds


def measure(service: Service) -> list[Figure]:
    first = asyncio.run(_fill(service.database_url))
    feed, select = interleave(
        "events", Feed("feed", service, first), Select("asyncpg", service.database_url, first), seconds=1.5
    )
    return [feed.against(select, SPEED, f"pages of {PAGE:,}, one connection, ")]


async def _fill(database_url: str) -> int:
    """Events at the end of the brand's log; returns the sequence before them."""
    owner = await asyncpg.connect(database_url, server_settings={"sitewright.release": "benchmark"})
    await owner.execute(_FILL, BRAND, EVENTS)
    await owner.execute("vacuum analyze events")
    first: int = await owner.fetchval(_FIRST, BRAND, EVENTS)
    await owner.close()
    return first


MEASUREMENT = Measurement(goals=[SPEED], measure=measure)
