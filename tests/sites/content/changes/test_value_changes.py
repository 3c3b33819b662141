"""POST /sites/:siteRef/changes: the kinds that change global and static values."""

from typing import Any

import httpx
import pytest

from tests.sites.content.changes.editing import Editing, content_rows
from tests.sites.content.shapes import Site
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection

VALUES = (("setGlobalValue", {"name": "headscript"}), ("setStaticValue", {"id": "hero", "name": "text"}))


@pytest.fixture
def editing(owner: httpx.AsyncClient, site: Site) -> Editing:
    return Editing(owner, site)


@pytest.mark.parametrize(("kind", "key"), VALUES)
async def test_a_value_is_created_changed_and_deleted(
    editing: Editing, owner_connection: OwnerConnection, kind: str, key: dict[str, Any]
) -> None:
    states = [await content_rows(owner_connection)]
    etag = None
    for value in ("one", "two", None):
        made = await editing.make(kind, etag=etag, value=value, **key)
        etag = made["items"][0]["etag"] if made["items"] else None
        assert [each["value"] for each in made["items"]] == ([] if value is None else [value])
        assert bool(made["deleted"]) == (value is None)
        states.append(await content_rows(owner_connection))
    for state in reversed(states[:-1]):
        await editing.undo()
        assert await content_rows(owner_connection) == state
    for state in states[1:]:
        await editing.redo()
        assert await content_rows(owner_connection) == state


@pytest.mark.parametrize(("kind", "key"), VALUES)
async def test_a_value_of_somebody_else_is_not_overwritten(
    editing: Editing, owner_connection: OwnerConnection, kind: str, key: dict[str, Any]
) -> None:
    item = (await editing.make(kind, value="theirs", **key))["items"][0]
    rows = await content_rows(owner_connection)
    for etag in (None, "other"):
        for value in ("mine", None):
            response = await editing.send(kind, etag=etag, value=value, **key)
            assert (problem_in(response), response.json()["current"]) == ((409, "contentChanged"), item)
    assert await content_rows(owner_connection) == rows
    response = await editing.send(kind, etag=item["etag"], value="media:999999", **key)
    assert problem_in(response)[0] == 400
