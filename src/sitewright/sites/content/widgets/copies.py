"""Several new widgets at once: copies, and ready-made sections. They require the lock on the site's content."""

import secrets
from collections.abc import Sequence

import msgspec

from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import MAX_TEXT
from sitewright.sites.content.widgets import store
from sitewright.sites.content.widgets.service import LOCAL_CLASS
from sitewright.sites.content.widgets.store import Placement


class NewWidgetRow(msgspec.Struct, frozen=True):
    """A widget to insert."""

    parent_id: str
    collection: str
    name: str
    type: str
    position: int
    values: dict[str, str]

    def placed(self, parent_id: str, name: str, position: int) -> "NewWidgetRow":
        return msgspec.structs.replace(self, parent_id=parent_id, name=name, position=position)

    def moved(self, own_id: str, new_own_id: str) -> "NewWidgetRow":
        """The same in the columns of another widget."""
        return msgspec.structs.replace(self, parent_id=new_own_id + self.parent_id.removeprefix(own_id))


async def insert_widgets(
    tx: Transaction,
    caller: Caller,
    site_ref: int,
    page_ref: int,
    new: Sequence[NewWidgetRow],
    first: Placement | None = None,
) -> list[int]:
    """Insert widgets with their values, in a fixed number of statements, and return their refs.

    `first`: the place of the first one; others from there on move behind those with the same parent.
    """
    if any(len(each.parent_id) > MAX_TEXT for each in new):
        message = f"makes the parent ids of the widgets in its columns longer than {MAX_TEXT} characters"
        raise Invalid.fields({"change.widgetRef": {"invalidWidgetRef": message}})
    if first is not None:
        count = sum(each.parent_id == first.parent_id for each in new)
        await store.shift_following(tx, first, count=count)
    refs = await store.insert_widgets(tx, site_ref, page_ref, [msgspec.structs.astuple(each)[:5] for each in new])
    values = [
        (ref, name, value)
        for ref, each in zip(refs, new, strict=True)
        for name, value in ({LOCAL_CLASS: ""} | each.values | {LOCAL_CLASS: f"w-{secrets.token_hex(4)}"}).items()
    ]
    await store.insert_values(tx, values)
    await audit.record_each_by(tx, caller, "create", "widget", refs, site=site_ref)
    return refs
