"""Publishing two hundred pages, without blocking other requests."""

import asyncio

from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND

PAGES = 200
ENOUGH = 12
"""Requests; a publish that blocked the others would let through one or two of them."""
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


async def test_two_hundred_pages_are_published(stage: Stage) -> None:
    await fill(stage)
    for _ in range(2):
        await stage.publish()
    assert await stage.rows.fetchval("select count(*) from site_files where version_ref = 2") == PAGES + 6


async def test_other_requests_are_served_while_a_site_is_published(stage: Stage) -> None:
    await fill(stage)
    publishing = asyncio.gather(*(stage.publish() for _ in range(3)))
    served = 0
    while not publishing.done() and served < ENOUGH:
        served += (await stage.client.get("/brands/1/languages")).status_code == 200
    await publishing
    assert served == ENOUGH


async def test_rendering_holds_no_connection(stage: Stage) -> None:
    """More sites at once than there are connections, and the rest of the service still gets one."""
    await fill(stage, pages=20)
    connections = stage.resources.settings.database_connections
    calls = [asyncio.create_task(stage.client.post(f"{stage.path}/publish")) for _ in range(connections + 4)]
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    busy = []
    while sum(not call.done() for call in calls) > connections:
        busy.append(stage.resources.database.pool.busy)
        assert (await stage.client.get("/brands/1/languages")).status_code == 200
    assert {(await call).status_code for call in calls} == {200}
    assert min(busy) < connections // 2
