"""POST /sites/:siteRef/reset."""

from tests.sites.publishing.conftest import Stage
from tests.support.responses import problem_in

CONTENT = ("pages", "widgets", "widget_values", "global_values", "static_values")


async def fill(stage: Stage) -> None:
    await stage.widget(await stage.page("home", "Old words"), "content", content="<p>Old</p>")
    await stage.page("about", "About", display_order=1)
    await stage.client.post(f"{stage.path}/global-values", json={"name": "headscript", "value": "<!-- old -->"})
    await stage.client.put(f"{stage.path}/static-values/hero", json={"name": "visible", "value": "0"})
    await stage.client.post(f"{stage.path}/domains", json={"domain": "kettle.example"})


async def test_everything_goes_and_a_live_site_shows_an_empty_home_page(stage: Stage) -> None:
    await fill(stage)
    await stage.publish()
    before = await stage.site()
    response = await stage.client.post(f"{stage.path}/reset")
    assert (response.status_code, response.content) == (204, b"")
    assert [await stage.rows.fetchval(f"select count(*) from {table}") for table in CONTENT] == [0] * 5
    assert (await stage.versions(), await stage.site()) == ([2], before)
    assert await stage.shown("about") == ""
    html = await stage.shown()
    assert ("Old" in html, "<!-- old -->" in html, "<h1>Welcome</h1>" in html) == (False, False, True)
    assert len(await stage.events()) == 1


async def test_a_site_that_was_never_published_has_nothing_to_show(stage: Stage) -> None:
    await fill(stage)
    assert (await stage.client.post(f"{stage.path}/reset")).status_code == 204
    assert (await stage.versions(), (await stage.site())["previouslyPublished"]) == ([], 0)


async def test_versions_go_on_counting(stage: Stage) -> None:
    for expected in (1, 3, 5):
        assert (await stage.publish())["versionRef"] == expected
        await stage.client.post(f"{stage.path}/reset")


async def test_a_reset_is_audited_and_needs_the_site(stage: Stage) -> None:
    await stage.client.post(f"{stage.path}/reset")
    assert await stage.rows.fetchval("select action from audit_entries order by ref desc limit 1") == "reset"
    await stage.client.delete(stage.path)
    assert problem_in(await stage.client.post(f"{stage.path}/reset")) == (404, "siteNotFound")
