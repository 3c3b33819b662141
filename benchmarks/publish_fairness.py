"""Six publishes of a 10 MB site by one brand, and how they delay another brand that publishes three pages."""

import asyncio
import time
from statistics import median
from typing import Any

import asyncpg
import httpx
import uvloop

from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.requests import user_body
from benchmarks.service import Service

FAIR = Goal("3 x a publish's idle time / the same during six publishes of a 10 MB site by another brand", 1)
GREEDY, OTHER = 1, 2
AT_ONCE = 6
IDLE = 20
LONGEST_SECONDS = 120
TEXT = "<p>Words about <strong>something</strong> and <a href='/x'>a link</a> to more of them, and other things.</p>"
_FILL = """
with made as (
    insert into pages (brand_ref, site_ref, type, status, request, request_key, title, display_order, template_type)
    select $1, $2, 'page', 'active', 'page-' || n, 'page-' || n, 'Page ' || n, n, 'default'
      from generate_series(1, $3::integer) n returning ref),
placed as (
    insert into widgets (brand_ref, site_ref, page_ref, parent_id, collection, name, type, position)
    select $1, $2, made.ref, 'page-zones__main', 'widgets', 'w' || k, 'content', k
      from made, generate_series(1, $4::integer) k returning ref)
insert into widget_values (brand_ref, widget_ref, name, value) select $1, ref, 'content', $5 from placed
"""


def measure(service: Service) -> list[Figure]:
    return [uvloop.run(_measure(service))]


async def _measure(service: Service) -> Figure:
    large, small = await make_site(service, GREEDY, "large"), await make_site(service, OTHER, "small")
    owner = await asyncpg.connect(service.database_url)
    await owner.execute(_FILL, GREEDY, large, 200, 25, TEXT * 18)
    await owner.execute(_FILL, OTHER, small, 3, 3, TEXT * 4)
    await owner.close()
    idle = [await _publish(service, OTHER, small) for _ in range(IDLE)][IDLE // 4 :]
    busy: list[float] = []
    greedy = asyncio.gather(*(_publish(service, GREEDY, large) for _ in range(AT_ONCE)))
    while not greedy.done():
        busy.append(await _publish(service, OTHER, small))
    took = max(await greedy)
    note = (
        f"idle {median(idle) * 1000:.0f} ms, during them {median(busy) * 1000:.0f} ms (median of {len(busy)}), at most"
        f" {max(busy) * 1000:.0f} ms; the six took {took:.1f} s"
    )
    return FAIR.measured(3 * median(idle) / median(busy), note)


async def make_site(service: Service, brand_ref: int, name: str) -> int:
    """A site of a new user with the pro package."""
    async with client_of(service, brand_ref) as client:

        async def post(path: str, **body: Any) -> Any:
            response = await client.post(path, json=body)
            if not response.is_success:
                raise MeasurementFailed(f"POST {path} returned {response.status_code}: {response.text[:200]}")
            return response.json()

        user_ref = (await post("/users", **user_body(brand_ref, f"fair-{name}")))["accountHolder"]["ref"]
        await post(f"/users/{user_ref}/account-packages", packageRef=service.brand(brand_ref)["packages"]["pro"])
        made = await post("/sites", accountHolderRef=user_ref, brandRef=brand_ref, domain=f"fair-{name}.example")
    ref: int = made["site"]["ref"]
    return ref


async def _publish(service: Service, brand_ref: int, site_ref: int) -> float:
    """The duration of a publish, on a new connection, so that any process may handle it."""
    async with client_of(service, brand_ref) as client:
        await client.get(f"/sites/{site_ref}")
        begun = time.perf_counter()
        response = await client.post(f"/sites/{site_ref}/publish")
        if response.status_code != 200:
            raise MeasurementFailed(f"a publish returned {response.status_code}: {response.text[:200]}")
        return time.perf_counter() - begun


def client_of(service: Service, brand_ref: int) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=service.url, auth=service.password_of(brand_ref), trust_env=False, timeout=LONGEST_SECONDS
    )


MEASUREMENT = Measurement(goals=[FAIR], measure=measure, on_every_core=True)
