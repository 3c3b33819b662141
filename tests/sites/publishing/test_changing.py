"""A site that changes during rendering: rendered outside of the transaction, and retried a few times."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from sitewright.kit.problems import Stale
from sitewright.kit.retries import ATTEMPTS, retry_stale
from sitewright.sites.publishing import preparing, render_pool, service
from sitewright.sites.publishing.errors import SiteChanged
from sitewright.sites.sites.service import find_site
from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.responses import problem_in

CHANGES: dict[str, str] = {
    "page": "update pages set title = 'After'",
    "widget": "update widgets set position = position + 1",
    "value": "update widget_values set value = '<p>After</p>'",
    "another value": (
        "insert into widget_values (brand_ref, widget_ref, name, value) select 1, ref, 'x', '' from widgets"
    ),
    "global value": "insert into global_values (brand_ref, site_ref, name, value) select 1, ref, 'x', '' from sites",
    "static value": (
        "insert into static_values (brand_ref, site_ref, static_widget_id, name, value, created_at, updated_at)"
        " select 1, ref, 'hero', 'visible', '0', now(), now() from sites"
    ),
    "profile": """update profiles set fields = '{"business": "After"}'""",
    "language": "update users set language_code = 'de'",
    "template": "update sites set template_ref = 2",
    "protocol": "update sites set protocol = 'https'",
    "page gone": "delete from pages",
}


class Editor:
    """Changes a site whenever it was rendered, for a number of times."""

    def __init__(self, stage: Stage, times: int) -> None:
        self._stage = stage
        self._times = times
        self._render = render_pool.render
        self.rendered = 0
        self.busy: list[int] = []

    async def render(self, *arguments: Any, **options: Any) -> Any:
        self.busy.append(self._stage.resources.database.pool.busy)
        made = await self._render(*arguments, **options)
        self.rendered += 1
        if self.rendered <= self._times:
            await self._stage.rows.execute("update pages set title = 'Title ' || $1::text", str(self.rendered))
        return made


@pytest.fixture
def edited(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Editor]:
    def start(times: int) -> Editor:
        editor = Editor(stage, times)
        monkeypatch.setattr(render_pool, "render", editor.render)
        monkeypatch.setattr(preparing, "_check_cache", {})  # another test may have checked the same content
        return editor

    return start


async def test_a_change_during_rendering_is_published(stage: Stage, edited: Callable[[int], Editor]) -> None:
    await stage.page("home", "Title 0")
    editor = edited(ATTEMPTS - 1)
    await stage.publish()
    assert f"<title>Title {ATTEMPTS - 1}</title>" in await stage.shown()
    assert (editor.rendered, await stage.versions(), len(await stage.events())) == (ATTEMPTS, [1], 1)


async def test_no_connection_is_held_while_a_site_is_rendered(stage: Stage, edited: Callable[[int], Editor]) -> None:
    await stage.page()
    editor = edited(1)
    for call in ("publish", "reset"):
        assert (await stage.client.post(f"{stage.path}/{call}")).is_success
    assert (await stage.client.get(f"{stage.path}/publishable")).is_success
    assert (len(editor.busy), set(editor.busy)) == (4, {0})


async def test_a_site_that_changes_repeatedly_is_a_conflict(stage: Stage, edited: Callable[[int], Editor]) -> None:
    await stage.page()
    editor = edited(100)
    assert problem_in(await stage.client.post(f"{stage.path}/publish")) == (409, "siteChanged")
    assert (editor.rendered, await stage.versions(), await stage.events()) == (ATTEMPTS, [], [])


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_every_part_of_the_render_input_is_detected(stage: Stage, change: str) -> None:
    await stage.widget(await stage.page("home", "Before"), "content", content="<p>Before</p>")
    await stage.client.post(f"{stage.path}/domains", json={"domain": "kettle.example"})
    prepared = await service.prepare(stage.resources, OWN_BRAND, TESTER, stage.ref)
    await stage.rows.execute(change)
    with pytest.raises(SiteChanged):
        async with stage.resources.database.transaction(OWN_BRAND) as tx:
            await service.publish(tx, TESTER, await find_site(tx, TESTER, stage.ref), prepared)
    assert await stage.versions() == []


async def test_a_reset_notices_another_template(stage: Stage) -> None:
    await stage.publish()
    prepared = await service.prepare_reset(stage.resources, OWN_BRAND, TESTER, stage.ref)
    await stage.rows.execute("update sites set template_ref = 2")
    with pytest.raises(SiteChanged):
        async with stage.resources.database.transaction(OWN_BRAND) as tx:
            await service.reset(tx, TESTER, await find_site(tx, TESTER, stage.ref), prepared)
    assert await stage.versions() == [1]


async def test_edits_during_many_publishes_end_in_the_last_state(stage: Stage) -> None:
    page_ref = await stage.page("home", "Title 0")

    async def publish() -> httpx.Response:
        return await stage.client.post(f"{stage.path}/publish")

    async def edit(number: int) -> httpx.Response:
        return await stage.client.put(f"{stage.path}/pages/{page_ref}", json={"title": f"Title {number}"})

    responses = await asyncio.gather(*(publish() for _ in range(4)), *(edit(number) for number in range(1, 9)))
    assert {response.status_code for response in responses[4:]} == {200}
    assert {response.status_code for response in responses[:4]} <= {200, 409}
    await stage.publish()
    title = await stage.rows.fetchval("select title from pages")
    assert f"<title>{title}</title>" in await stage.shown()


async def test_stale_work_is_retried_a_few_times() -> None:
    def failing(times: int) -> Callable[[], Awaitable[int]]:
        tried = 0

        async def attempt() -> int:
            nonlocal tried
            tried += 1
            if tried <= times:
                raise Stale
            return tried

        return attempt

    assert await retry_stale(failing(0)) == 1
    assert await retry_stale(failing(ATTEMPTS - 1)) == ATTEMPTS
    never = failing(ATTEMPTS)
    with suppress(Stale):
        await retry_stale(never)
    assert await never() == ATTEMPTS + 1
