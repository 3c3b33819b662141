"""Continuing to edit from a version is one change, which undo and redo exactly."""

import httpx

from tests.sites.publishing.conftest import Stage
from tests.sites.publishing.test_versions import CONTENT, fill, template_of
from tests.support.responses import problem_in


async def step(stage: Stage, name: str, step_id: str) -> httpx.Response:
    return await stage.client.post(f"{stage.path}/changes/{name}", json={"id": step_id})


async def everything(stage: Stage) -> dict[str, list[str]]:
    """All content with every ref, and the template."""
    found = {
        table: [
            row[0]
            for row in await stage.rows.fetch(
                f"select (to_jsonb(t) - 'updated_at')::text from {table} t order by 1",
            )
        ]
        for table in CONTENT
    }
    return found | {"template": [str(await template_of(stage))]}


async def test_editing_from_a_version_is_one_step_that_can_be_undone(stage: Stage) -> None:
    menu = await fill(stage)
    await stage.publish()
    await stage.client.put(f"{stage.path}/pages/{menu}", json={"title": "Second", "pageUrl": "new"})
    await stage.client.post(f"{stage.path}/global-values", json={"name": "bodyscript", "value": "<!-- new -->"})
    await stage.client.put(f"{stage.path}/static-values/hero", json={"name": "visible", "value": "1"})
    await stage.rows.execute("delete from pages where request = 'draft'")
    later = await stage.page("draft", "Another one with the same address", display_order=9)
    await stage.widget(later, "heading", text="Later")
    await stage.client.put(stage.path, json={"templateRef": 1})
    before = await everything(stage)
    body = {"id": "back", "session": "tab"}
    made = (await stage.client.post(f"{stage.path}/versions/1/edit", json=body)).json()
    assert (made["version"]["versionRef"], made["change"]["kind"], made["change"]["id"]) == (1, "editVersion", "back")
    after = await everything(stage)
    assert after != before
    repeated = (await stage.client.post(f"{stage.path}/versions/1/edit", json=body)).json()
    assert (repeated["change"]["number"], await everything(stage)) == (made["change"]["number"], after)
    undone = (await step(stage, "undo", "one")).json()
    assert await everything(stage) == before
    kinds = {each["kind"] for each in undone["items"]}
    assert kinds == {"page", "widget", "globalValue", "staticValue", "template"}
    assert later in [each["ref"] for each in undone["items"] if each["kind"] == "page"]
    assert [each["values"]["text"] for each in undone["items"] if each.get("pageRef") == later] == ["Later"]
    assert (await step(stage, "redo", "two")).status_code == 200
    assert await everything(stage) == after
    assert (await step(stage, "undo", "three")).status_code == 200
    assert await everything(stage) == before


async def test_steps_from_before_can_be_undone_after_it(stage: Stage) -> None:
    page = await stage.page()
    added = {"kind": "addWidget", "pageRef": page, "parentId": "page-zones__main", "type": "heading"}
    await stage.client.post(f"{stage.path}/changes", json={"id": "a", "change": added | {"values": {"text": "Hi"}}})
    await stage.publish()
    await stage.client.post(f"{stage.path}/changes", json={"id": "b", "change": added | {"values": {"text": "Ho"}}})
    await stage.client.post(f"{stage.path}/versions/1/edit")
    assert await stage.rows.fetchval("select count(*) from widgets") == 1
    counts = []
    for number in range(3):
        assert (await step(stage, "undo", f"undo{number}")).status_code == 200
        counts.append(await stage.rows.fetchval("select count(*) from widgets"))
    assert counts == [2, 1, 0]


async def test_what_others_wrote_since_is_not_taken_away(stage: Stage, owner_operator: httpx.AsyncClient) -> None:
    page = await fill(stage)
    await stage.publish()
    await stage.client.put(f"{stage.path}/pages/{page}", json={"title": "Second"})
    await stage.client.post(f"{stage.path}/versions/1/edit")
    await owner_operator.put(f"{stage.path}/pages/{page}", json={"title": "Third"})
    content = await everything(stage)
    assert problem_in(await step(stage, "undo", "one")) == (409, "contentChanged")
    assert await everything(stage) == content
