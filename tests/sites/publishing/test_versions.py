"""The history of a site: list, restore, continue editing from a version."""

import asyncio
from typing import Any

import httpx
import pytest

from sitewright.kit.auth.caller import Caller, Role
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.versions import service
from tests.sites.publishing.conftest import Stage
from tests.support.cast import OWN_BRAND
from tests.support.paging import links
from tests.support.responses import items_in, object_in, problem_in
from tests.support.users import OwnerConnection

CONTENT = ("pages", "widgets", "widget_values", "global_values", "static_values")
CALLER = Caller(role=Role.BRAND_ADMIN, name="credential:1", brand_ref=OWN_BRAND)


async def versions(stage: Stage) -> list[dict[str, Any]]:
    return items_in(await stage.client.get(f"{stage.path}/versions"), "versions")


async def fill(stage: Stage) -> int:
    """A site with something of every kind; returns a page."""
    page = await stage.page("home", "First")
    menu = await stage.page("Food/Menu", "Menü", display_order=1, parent_id=page, description="What “we” serve\n")
    await stage.page("draft", "Draft", display_order=2, status="draft")
    await stage.widget(page, "content", content='<p>Old "words" \\ ä 😀</p>', align="left")
    await stage.widget(menu, "heading", text="Soup", level="2")
    await stage.client.post(f"{stage.path}/global-values", json={"name": "headscript", "value": "<!-- old -->"})
    await stage.client.put(f"{stage.path}/static-values/hero", json={"name": "visible", "value": "0"})
    return menu


async def draft(owner: OwnerConnection) -> dict[str, list[str]]:
    """All content, without what has no meaning: refs of values, and times."""
    return {
        table: [
            row[0]
            for row in await owner.fetch(
                f"select (to_jsonb(t) - '{{created_at,updated_at}}'::text[] - $1)::text from {table} t order by 1",
                "ref" if table.endswith("values") else "-",
            )
        ]
        for table in CONTENT
    }


async def test_newest_first_with_author_and_pages(stage: Stage) -> None:
    await fill(stage)
    await stage.publish()
    await stage.publish()
    found = await versions(stage)
    assert [(each["versionRef"], each["current"]) for each in found] == [(2, True), (1, False)]
    assert found[0]["published"]["timezone"]
    assert {name: found[0][name] for name in ("editable", "pages", "author")} == {
        "editable": True, "pages": 2, "author": {"kind": "api", "name": None},
    }  # fmt: skip
    first = await stage.client.get(f"{stage.path}/versions?limit=1")
    assert items_in(first, "versions") == found[:1]
    assert items_in(await stage.client.get(links(first)["next"]), "versions") == found[1:]


async def test_authors_by_name(stage: Stage, owner_operator: httpx.AsyncClient) -> None:
    await stage.page()
    await owner_operator.post(f"{stage.path}/publish")
    holder = Caller(role=Role.BRAND_ADMIN, name=f"user:{stage.user_ref}", brand_ref=OWN_BRAND)
    prepared = await publishing.prepare(stage.resources, OWN_BRAND, holder, stage.ref)
    async with stage.resources.database.transaction(OWN_BRAND) as tx:
        site = await publishing._find_site(holder, stage.ref, tx)
        await publishing.publish(tx, holder, site, prepared)
    await stage.rows.execute("update users set first_name = 'Ann', last_name = 'Baker' where ref = $1", stage.user_ref)
    by_holder, by_operator = [each["author"] for each in await versions(stage)]
    assert by_holder == {"kind": "accountHolder", "name": "Ann Baker"}
    assert by_operator["kind"] == "operator"
    assert by_operator["name"] == await stage.rows.fetchval(
        "select username from operators where 'operator:' || ref = (select author from site_versions"
        " where site_ref = $1 and version_ref = 1)",
        stage.ref,
    )


async def test_one_version_with_its_pages(stage: Stage) -> None:
    menu = await fill(stage)
    await stage.publish()
    version = object_in(await stage.client.get(f"{stage.path}/versions/1"), "version")
    assert [each["title"] for each in version["content"]] == ["First", "Menü", "Draft"]
    assert version["content"][1] == {"ref": menu, "request": "Food/Menu", "title": "Menü", "status": "active"}
    for path in ("2", "0", "999999999999"):
        assert problem_in(await stage.client.get(f"{stage.path}/versions/{path}")) == (404, "versionNotFound")


async def test_a_version_is_restored_exactly(stage: Stage) -> None:
    menu = await fill(stage)
    await stage.publish()
    before = await stage.rows.fetch("select path, body from site_files order by path")
    await stage.client.put(f"{stage.path}/pages/{menu}", json={"title": "Second", "pageUrl": "new"})
    await stage.publish()
    details, content = await stage.site(), await draft(stage.rows)
    restored = object_in(await stage.client.post(f"{stage.path}/versions/1/restore"), "version")
    assert (restored["versionRef"], restored["current"]) == (1, True)
    assert [each["current"] for each in await versions(stage)] == [False, True]
    assert (await stage.site(), await draft(stage.rows)) == (details, content)
    shown = await stage.rows.fetch(
        "select f.path, f.body from site_files f join sites s on s.ref = f.site_ref and s.version_ref = f.version_ref"
        " order by f.path"
    )
    assert shown == before
    assert problem_in(await stage.client.post(f"{stage.path}/versions/9/restore")) == (404, "versionNotFound")


async def test_editing_continues_from_a_version(stage: Stage) -> None:
    menu = await fill(stage)
    await stage.publish()
    before, shown = await draft(stage.rows), await stage.shown("food/menu")
    for table in ("global_values", "static_values"):
        await stage.rows.execute(f"delete from {table}")
    await stage.client.put(f"{stage.path}/pages/{menu}", json={"title": "Second", "pageUrl": "new"})
    await stage.page("later", "Later", display_order=9)
    await stage.rows.execute("delete from pages where request = 'draft'")
    await stage.publish()
    response = await stage.client.post(f"{stage.path}/versions/1/edit")
    assert object_in(response, "version")["versionRef"] == 1
    assert await draft(stage.rows) == before
    assert await stage.shown("new") != ""  # visitors see no difference until the next publish
    await stage.publish()
    assert (await stage.shown("food/menu"), await stage.shown("new"), await stage.shown("later")) == (shown, "", "")
    listed = items_in(await stage.client.get(f"{stage.path}/redirects"), "redirects")
    assert {each["from"]: each["to"] for each in listed} == {"new": "/Food/Menu"}
    action = await stage.rows.fetchrow("select action, details from audit_entries where action like 'edit from%'")
    assert action is not None


async def template_of(stage: Stage) -> Any:
    return await stage.rows.fetchval("select template_ref from sites where ref = $1", stage.ref)


async def test_the_template_follows_where_it_may_be_chosen(stage: Stage) -> None:
    await stage.page()
    await stage.publish()
    await stage.client.put(stage.path, json={"templateRef": 1})
    await stage.client.post(f"{stage.path}/versions/1/edit")
    assert await template_of(stage) == 4
    await stage.client.put(stage.path, json={"templateRef": 1})
    await stage.rows.execute("update templates set brand_ref = 2 where ref = 4")
    await stage.client.post(f"{stage.path}/versions/1/edit")
    assert await template_of(stage) == 1


async def test_new_content_gets_new_refs_afterwards(stage: Stage) -> None:
    await fill(stage)
    await stage.publish()
    await stage.client.post(f"{stage.path}/versions/1/edit")
    page = object_in(await stage.client.post(f"{stage.path}/pages", json={"pageUrl": "n", "title": "N"}), "page")
    widget = {"pageRef": page["ref"], "name": "w", "type": "widget.content", "values": {"content": "x"}}
    object_in(await stage.client.post(f"{stage.path}/widgets", json=widget), "widget")


async def test_versions_of_earlier_releases_have_no_content(stage: Stage) -> None:
    await stage.page()
    await stage.publish()
    await stage.rows.execute("update site_versions set content = null, pages = null, author = null")
    [version] = await versions(stage)
    assert (version["editable"], version["pages"], version["author"]) == (False, None, None)
    details = object_in(await stage.client.get(f"{stage.path}/versions/1"), "version")
    assert details["content"] is None
    response = await stage.client.post(f"{stage.path}/versions/1/edit")
    assert problem_in(response) == (409, "versionWithoutContent")
    assert (await stage.client.post(f"{stage.path}/versions/1/restore")).status_code == 200


async def test_a_preview_shows_the_version(stage: Stage) -> None:
    menu = await fill(stage)
    await stage.publish()
    await stage.client.put(f"{stage.path}/pages/{menu}", json={"title": "Second", "pageUrl": "new"})
    await stage.client.put(f"{stage.path}/global-values/headscript", json={"value": "<script>x</script>"})
    for path, text in (("", "Old &#34;words&#34;"), ("food/menu", "Soup")):
        page = (await service.preview(stage.resources, OWN_BRAND, CALLER, stage.ref, 1, path)).decode()
        assert (text in page or text.replace("&#34;", '"') in page, "<script" in page) == (True, False)
    with pytest.raises(Exception, match="page"):
        await service.preview(stage.resources, OWN_BRAND, CALLER, stage.ref, 1, "draft")


async def test_editing_waits_for_other_writers(stage: Stage) -> None:
    await fill(stage)
    await stage.publish()
    writes = [
        stage.client.post(f"{stage.path}/pages", json={"pageUrl": f"p{number}", "title": "P"}) for number in range(5)
    ]
    edits = [stage.client.post(f"{stage.path}/versions/1/edit") for _ in range(3)]
    statuses = {response.status_code for response in await asyncio.gather(*writes, *edits)}
    assert statuses == {200}
    assert await stage.rows.fetchval("select count(*) from widgets") == 2
