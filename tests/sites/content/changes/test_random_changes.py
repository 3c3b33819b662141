"""Any sequence of changes can be undone completely, and redone completely."""

import random
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sites.content.changes.editing import Editing, content_rows
from tests.sites.content.shapes import MAIN, Site
from tests.support.fuzzing import fuzzed
from tests.support.users import OwnerConnection

KINDS = (
    "setValues", "addWidget", "moveWidget", "duplicateWidget", "deleteWidget", "addPage", "editPage", "movePage",
    "makeHome", "deletePage", "setGlobalValue", "setStaticValue",
)  # fmt: skip


class RandomEditor:
    """Makes random changes that are possible."""

    def __init__(self, editing: Editing, seed: int) -> None:
        self.editing, self.random = editing, random.Random(seed)  # noqa: S311 - no secret

    async def change(self, kind: str) -> None:
        content = await self.editing.content()
        fields = getattr(self, f"_{kind}")(content)
        if fields is not None:
            await self.editing.make(kind, **fields)

    def _place(self, content: dict[str, Any], without: dict[str, Any] | None = None) -> dict[str, Any]:
        """A page, and its main zone or a column, but none of `without` itself."""
        page = self.random.choice(content["pages"])["ref"]
        own = None if without is None else f"{without['parentId']}__{without['name']}__"
        containers = [
            f"{each['parentId']}__{each['name']}__{number}"
            for each in content["widgets"]
            for number in (0, 1)
            if each["type"] == "widget.columns" and each["pageRef"] == page and len(each["parentId"]) < 100
        ]
        zones = [MAIN, *(zone for zone in containers if own is None or not zone.startswith(own))]
        position = self.random.choice([None, 0, 1, 2, 5])
        return {"pageRef": page, "parentId": self.random.choice(zones), "position": position}

    def _widget(self, content: dict[str, Any]) -> dict[str, Any] | None:
        found = content["widgets"]
        return self.random.choice(found) if found else None

    def _setValues(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802 - the name of the kind
        widget = self._widget(content)
        values = {self.random.choice("abc"): self.random.choice([None, "", "x", "y" * 50]) for _ in range(2)}
        return widget and {"widgetRef": widget["ref"], "etag": widget["etag"], "values": values}

    def _addWidget(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        kind = self.random.choice(["widget.columns", "widget.heading"])
        return self._place(content) | {"type": kind, "values": {"text": "new"}} if content["pages"] else None

    def _moveWidget(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        widget = self._widget(content)
        return widget and {"widgetRef": widget["ref"], **self._place(content, widget)}

    def _duplicateWidget(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        widget = self._widget(content)
        return {"widgetRef": widget["ref"]} if widget and len(content["widgets"]) < 60 else None

    def _deleteWidget(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        widget = self._widget(content)
        return widget and {"widgetRef": widget["ref"], "etag": widget["etag"]}

    def _addPage(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        refs = [each["ref"] for each in content["pages"]]
        copied = {"copyOf": self.random.choice(refs)} if refs and len(content["widgets"]) < 60 else {}
        return {"pageUrl": f"new-{self.random.random()}", "title": "New", "parentId": refs[0] if refs else 0, **copied}

    def _page(self, content: dict[str, Any]) -> dict[str, Any] | None:
        found = content["pages"]
        return self.random.choice(found) if found else None

    def _editPage(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        page = self._page(content)
        fields = {"title": self.random.choice("abc"), "pageUrl": f"moved-{self.random.random()}", "keywords": None}
        return page and {"pageRef": page["ref"], "etag": page["etag"], "fields": fields}

    def _movePage(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        page = self._page(content)
        parents = {each["ref"]: each["page"]["parentId"] for each in content["pages"]}
        above = [ref for ref, parent in parents.items() if page and ref != page["ref"] and parent == 0]
        if page is None or any(parent == page["ref"] for parent in parents.values()):
            above = []
        return page and {
            "pageRef": page["ref"],
            "parentId": self.random.choice([0, *above]),
            "position": self.random.choice([None, 0, 1, 2]),
        }

    def _makeHome(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        page = self._page(content)
        return page and {"pageRef": page["ref"]}

    def _deletePage(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        page = self._page(content)
        return page and {"pageRef": page["ref"], "etag": page["etag"]}

    def _setGlobalValue(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        name = self.random.choice("ab")
        etags = {each["name"]: each["etag"] for each in content["globalValues"]}
        return {"name": name, "etag": etags.get(name), "value": self.random.choice([None, "x", "y"])}

    def _setStaticValue(self, content: dict[str, Any]) -> dict[str, Any] | None:  # noqa: N802
        name = self.random.choice("ab")
        etags = {each["name"]: each["etag"] for each in content["staticValues"]}
        return {"id": "hero", "name": name, "etag": etags.get(name), "value": self.random.choice([None, "x", "y"])}


@pytest.fixture
async def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    for url in ("home", "about"):
        page = await site.page(owner, url)
        await site.widget(owner, page, "team", type="widget.columns")
        await site.widget(owner, page, "text", position=4, values={"a": "1"})
        await site.widget(owner, page, "inside", parentId=f"{MAIN}__team__1")
    return Editing(owner, site)


@fuzzed(6, share=0.001)
@given(seed=st.integers(0, 2**32), kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=12))
async def test_undoing_everything_gives_the_original_and_redoing_it_the_result(
    editing: Editing, owner_connection: OwnerConnection, seed: int, kinds: list[str]
) -> None:
    original, before = await content_rows(owner_connection), (await editing.content())["canUndo"]
    editor = RandomEditor(editing, seed)
    for kind in kinds:
        await editor.change(kind)
    result = await content_rows(owner_connection)
    steps = 0
    while (await editing.content())["canUndo"]:
        await editing.undo()
        steps += 1
    assert before == 0
    assert await content_rows(owner_connection) == original
    for _ in range(steps):
        await editing.redo()
    assert await content_rows(owner_connection) == result
    for _ in range(steps):
        await editing.undo()
    assert await content_rows(owner_connection) == original
