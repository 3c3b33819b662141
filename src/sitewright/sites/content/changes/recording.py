"""Records changes: what each touched, to undo it, and its id, by which a repeated request is recognized."""

import asyncio
from datetime import timedelta

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.sites.content import usage
from sitewright.sites.content.changes import store
from sitewright.sites.content.changes.images.recorder import Recorded
from sitewright.sites.content.changes.images.rows import (
    GLOBALS,
    STATICS,
    VALUES,
    Image,
    Row,
    compress,
    decompress,
    joined,
    size_of,
)
from sitewright.sites.content.changes.requests import SetGlobalValue, SetStaticValue, SetValues
from sitewright.sites.content.changes.store import Images, NewChange
from sitewright.sites.content.changes.work import Editor, Work

MIB = 1024 * 1024
MERGE_SECONDS = 30
IDS_KEPT = 5000
"""How many changes are remembered for repeated requests, besides those that can be undone."""
PRUNE_EVERY = 50
TABLES_OF_CHANGES: dict[type[msgspec.Struct], str] = {
    SetValues: VALUES,
    SetGlobalValue: GLOBALS,
    SetStaticValue: STATICS,
}
MERGED = {str(change.__struct_config__.tag): table for change, table in TABLES_OF_CHANGES.items()}
"""The kinds of changes that typing makes, and the table that each writes to."""


class Request(msgspec.Struct, frozen=True):
    """What is recorded of a request."""

    id: str
    session: str
    kind: str
    label: str
    merge: bool = False


class _Packed(msgspec.Struct, frozen=True):
    before: bytes
    after: bytes
    added: int
    """An upper bound of the bytes that the change added to the content."""


async def record(work: Work, request: Request, recorded: Recorded) -> int:
    """Check the size of the content, record a change, and return its number."""
    before, after, replaces = recorded.before, recorded.after, None
    if request.merge and request.kind in MERGED and after:
        previous = await store.find_step(work.tx, work.site.ref, work.editor.author, None, undone=False)
        if previous is not None and _may_merge(previous, request, before):
            before, replaces = joined(decompress(previous.before), before), previous.number
            after = joined(after, decompress(previous.after))
    arguments = (before, after, recorded.after)
    packed = await asyncio.to_thread(_pack, *arguments) if recorded.is_whole else _pack(*arguments)
    await usage.check_added_bytes(work.tx, work.settings, work.site.ref, packed.added)
    new = NewChange(
        id=request.id,
        author=work.editor.author,
        session=request.session,
        made_at=clock.now(),
        kind=request.kind,
        label=request.label,
        scope=msgspec.json.encode(recorded.scope).decode(),
        before=packed.before if after else None,
        after=packed.after if after else None,
        replaces=replaces,
    )
    number = await store.insert_change(work.tx, work.site.ref, new)
    await evict(work.tx, work.settings, work.site.ref, work.editor, number)
    return number


def _pack(before: Image, after: Image, added: Image) -> _Packed:
    return _Packed(compress(before), compress(after), size_of(added))


def _may_merge(previous: Images, request: Request, before: Image) -> bool:
    """Whether the previous change set the same item in the same window, and nobody changed it since."""
    if previous.kind != request.kind or previous.session != request.session:
        return False
    if clock.now() - previous.made_at > timedelta(seconds=MERGE_SECONDS):
        return False
    table = MERGED[request.kind]
    old = decompress(previous.after).get(table, {})
    new = before.get(table, {})
    items = {key.partition(" ")[0] if table == VALUES else key for key in (*old, *new)}
    return len(items) == 1 and all(_is_unchanged(old[key], new[key]) for key in old.keys() & new.keys())


def _is_unchanged(old: Row | None, new: Row | None) -> bool:
    """A row that was created is recorded as a whole; later only the columns that change."""
    if old is None or new is None:
        return old is new
    return old.items() >= new.items()


async def evict(tx: Transaction, settings: Settings, site_ref: int, editor: Editor, number: int) -> None:
    """Keep the images of the latest changes only, and delete ids of long ago."""
    summary = await store.summarize(tx, site_ref, editor.author)
    most, most_bytes = settings.content_changes_limit, settings.content_changes_mib * MIB
    if summary.kept > most or summary.bytes > most_bytes:
        await store.evict(tx, site_ref, most, most_bytes)
    if number % PRUNE_EVERY == 0:
        await store.prune(tx, site_ref, number - IDS_KEPT - most)
