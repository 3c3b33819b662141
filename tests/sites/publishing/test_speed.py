"""Publishing two hundred pages in two seconds, without blocking other requests."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from sitewright.sites.publishing.sanitizing import rich_text
from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND
from tests.support.timeouts import HANG_SECONDS

PAGES = 200
PARAGRAPHS = "<p>Words about <strong>something</strong> and <a href='/x'>a link</a> to more of them.</p>" * 12


async def fill(stage: Stage, pages: int = PAGES) -> None:
    """Each page with a heading, a text, a picture and a form."""
    await stage.rows.execute(
        """
        with made as (
            insert into pages (brand_ref, site_ref, type, status, request, request_key, title, display_order,
                               template_type)
            select $1, $2, 'page', 'active', 'page-' || n, 'page-' || n, 'Page ' || n, n, 'default'
              from generate_series(1, $3::integer) n returning ref),
        widgets as (
            insert into widgets (brand_ref, site_ref, page_ref, parent_id, collection, name, type, position)
            select $1, $2, made.ref, 'page-zones__main', 'widgets', kind, kind, place
              from made, unnest(array['heading', 'content', 'image', 'contactForm']) with ordinality k (kind, place)
            returning ref, type)
        insert into widget_values (brand_ref, widget_ref, name, value)
        select $1, w.ref, v.name, v.value from widgets w join (values
               ('heading', 'text', 'What we do'), ('content', 'content', $4), ('image', 'src', '/picture.jpg'))
               v (type, name, value) on v.type = w.type
        """,
        OWN_BRAND,
        stage.ref,
        pages,
        PARAGRAPHS,
    )


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.monotonic()
    await work()
    return time.monotonic() - began


async def test_two_hundred_pages_are_published_in_two_seconds(stage: Stage) -> None:
    await fill(stage)
    rich_text("<p>warm</p>")
    fastest = min([await timed(stage.publish) for _ in range(3)])
    assert await stage.rows.fetchval("select count(*) from site_files where version_ref = 3") == PAGES + 6
    assert fastest < 2


async def test_other_requests_are_served_while_a_site_is_published(stage: Stage) -> None:
    await fill(stage)
    publishing = asyncio.gather(*(stage.publish() for _ in range(3)))
    waits = []
    while not publishing.done():
        waits.append(await timed(lambda: stage.client.get("/brands/1/languages")))
    await publishing
    waits.sort()
    assert len(waits) > 10
    assert waits[len(waits) // 2] < 0.25
    assert waits[-1] < 1


async def test_rendering_holds_no_connection(stage: Stage) -> None:
    """More sites at once than there are connections, and the rest of the service still gets one."""
    await fill(stage, pages=50)
    connections = stage.resources.settings.database_connections
    calls = [stage.client.post(f"{stage.path}/publish", timeout=HANG_SECONDS) for _ in range(connections + 4)]
    publishing = asyncio.gather(*calls)
    waits = []
    while not publishing.done():
        waits.append(await timed(lambda: stage.client.get("/brands/1/languages")))
    assert {response.status_code for response in await publishing} == {200}
    assert max(waits) < 3
