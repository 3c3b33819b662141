"""The history of a site: its stored versions, putting one back online, and continuing to edit from one."""

import asyncio
import secrets
from datetime import datetime
from functools import partial

import msgspec

from sitewright.catalogue.templates import service as templates
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import timestamp
from sitewright.settings import Settings
from sitewright.sites.content.changes import service as changes
from sitewright.sites.content.changes.service import ChangeMade, Editor, Replacement, Request
from sitewright.sites.publishing.errors import VersionNotFound, VersionWithoutContent
from sitewright.sites.publishing.preparing import prepare_stored_page
from sitewright.sites.publishing.versions import store
from sitewright.sites.publishing.versions.schemas import (
    AuthorKind,
    EditVersionRequest,
    Version,
    VersionAuthor,
    VersionDetails,
    VersionPage,
)
from sitewright.sites.publishing.versions.store import SnapshotSize, VersionRow
from sitewright.sites.publishing.versions.stored_input import StoredInput, decode_input, source_of
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site

__all__ = [
    "AuthorKind",
    "EditVersionRequest",
    "SnapshotSize",
    "StaffVersion",
    "StoredInput",
    "Version",
    "describe",
    "edit_from",
    "find_version",
    "list_for_staff",
    "list_sizes",
    "list_versions",
    "present_author",
    "preview",
    "read_stored",
    "restore",
    "roll_back",
]
EDIT_VERSION = "editVersion"
"""The kind of the change."""
KINDS: dict[str, AuthorKind] = {"user": "accountHolder", "operator": "operator", "credential": "api"}
"""Kinds of authors by the beginning of their names as callers."""


class StaffVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A version, as listed for the staff of the brand."""

    version_ref: int
    published_at: datetime
    is_current: bool
    pages: int | None
    template: str | None
    author: VersionAuthor | None
    bytes: int


async def list_versions(tx: Transaction, caller: Caller, site_ref: int, window: Window) -> tuple[list[Version], Page]:
    """List the stored versions of a site, newest first."""
    await sites.find_site(tx, caller, site_ref)
    rows = await store.list_versions(tx, site_ref, window)
    page = cut(window, [row.version_ref for row in rows])
    return [_serialize(row) for row in window.shown(rows)], page


async def find_version(tx: Transaction, caller: Caller, site_ref: int, version_ref: int) -> Version:
    await sites.find_site(tx, caller, site_ref)
    return _serialize(await _find_row(tx, site_ref, version_ref))


async def describe(version: Version, stored: StoredInput | None) -> VersionDetails:
    """Add the pages of a version; `stored` is the result of `read_stored`."""
    pages = None if stored is None else await asyncio.to_thread(_pages_of, stored)
    return VersionDetails(**{name: getattr(version, name) for name in Version.__struct_fields__}, content=pages)


async def read_stored(
    resources: Resources, brand_ref: int, caller: Caller, site_ref: int, version_ref: int
) -> StoredInput | None:
    """Read and decode the content of a version, without holding a connection meanwhile; None where it has none."""
    async with resources.database.transaction(brand_ref) as tx:
        await sites.find_site(tx, caller, site_ref)
        await _find_row(tx, site_ref, version_ref)
        stored = await store.read_content(tx, site_ref, version_ref)
    return None if stored is None else await asyncio.to_thread(decode_input, stored)


async def restore(tx: Transaction, caller: Caller, site_ref: int, version_ref: int) -> Version:
    """Make a stored version the one that visitors see, exactly as it was.

    The content that is edited, the time of the last publish and whether the site is live do not change.
    """
    site = await sites.find_site(tx, caller, site_ref, lock=True)
    await _find_row(tx, site_ref, version_ref)
    await sites.set_current_version(
        tx, site_ref, version_ref, clock.now(), is_publish=False, last_version_ref=version_ref
    )
    await audit.record_by(
        tx, caller, "roll back", "site", site_ref, **{"versionRef": version_ref, "from": site.version_ref}
    )
    return _serialize(await _find_row(tx, site_ref, version_ref))


async def edit_from(
    tx: Transaction,
    settings: Settings,
    caller: Caller,
    site_ref: int,
    version_ref: int,
    stored: StoredInput | None,
    request: EditVersionRequest,
) -> ChangeMade:
    """Replace the content that is edited by that of a version, as one change that can be undone.

    Visitors see no difference until the next publish. The template follows where the account holder may still choose
    it. The profile stays: it is the current business details, also of other uses. `stored` is the result of
    `read_stored`.
    """
    site = await sites.find_site(tx, caller, site_ref, lock=True)
    await _find_row(tx, site_ref, version_ref)
    if stored is None:
        raise VersionWithoutContent
    new = Replacement(stored.content, await _template_to_choose(tx, site, stored))
    step = Request(request.id or secrets.token_hex(16), request.session, EDIT_VERSION, f"version {version_ref}")
    change = await changes.replace_content(tx, settings, Editor(caller), site_ref, step, new)
    await audit.record_by(tx, caller, "edit from version", "site", site_ref, versionRef=version_ref)
    return change


async def _template_to_choose(tx: Transaction, site: Site, stored: StoredInput) -> int | None:
    """Return the version's template where the site has another one, and the account holder may choose it today."""
    template_ref = stored.template_ref
    if template_ref is None or template_ref == site.template_ref:
        return None
    return template_ref if await templates.is_choosable(tx, template_ref, site.user_ref) else None


async def preview(
    resources: Resources, brand_ref: int, caller: Caller, site_ref: int, version_ref: int, path: str = ""
) -> bytes:
    """Render a page of a version, self-contained; call it without holding a connection."""
    stored = await read_stored(resources, brand_ref, caller, site_ref, version_ref)
    if stored is None:
        raise VersionWithoutContent
    find_site = partial(_find_site, caller, site_ref)
    return await prepare_stored_page(resources, brand_ref, find_site, source_of(stored), path)


async def _find_site(caller: Caller, site_ref: int, tx: Transaction) -> Site:
    return await sites.find_site(tx, caller, site_ref)


async def list_sizes(resources: Resources, caller: Caller, site_ref: int) -> list[SnapshotSize]:
    """List the stored versions with their sizes, newest first, for operators of the service."""
    async with resources.database.transaction(await _brand_of(resources, site_ref)) as tx:
        await sites.find_site(tx, caller, site_ref)
        return await store.list_sizes(tx, site_ref)


async def list_for_staff(tx: Transaction, site_ref: int) -> list[StaffVersion]:
    """The stored versions of a site, deleted or not, newest first, with their sizes and authors."""
    sizes = {each.version_ref: each for each in await store.list_sizes(tx, site_ref)}
    rows = await store.list_versions(tx, site_ref, Window(limit=max(1, len(sizes))))
    return [
        StaffVersion(
            version_ref=row.version_ref,
            published_at=row.published_at,
            is_current=row.is_current,
            pages=row.pages,
            template=row.template,
            author=None if row.author is None else present_author(row.author, row.holder_name, row.operator_name),
            bytes=sizes[row.version_ref].bytes,
        )
        for row in rows
        if row.version_ref in sizes
    ]


async def roll_back(resources: Resources, caller: Caller, site_ref: int, version_ref: int) -> None:
    """Restore a version of a site of any brand, for operators of the service."""
    async with resources.database.transaction(await _brand_of(resources, site_ref)) as tx:
        await restore(tx, caller, site_ref, version_ref)


async def _brand_of(resources: Resources, site_ref: int) -> int:
    async with resources.database.connection() as connection:
        return await sites.brand_of_site(connection, site_ref)


async def _find_row(tx: Transaction, site_ref: int, version_ref: int) -> VersionRow:
    row = await store.find_version(tx, site_ref, version_ref)
    if row is None:
        raise VersionNotFound
    return row


def _pages_of(stored: StoredInput) -> list[VersionPage]:
    pages = [each.page for each in stored.content.decoded().pages]
    return [VersionPage(page.ref, page.request, page.title, page.status) for page in pages]


def _serialize(row: VersionRow) -> Version:
    return Version(
        version_ref=row.version_ref,
        published=timestamp(row.published_at, row.time_zone),
        current=row.is_current,
        editable=row.has_content,
        pages=row.pages,
        template=row.template,
        author=None if row.author is None else present_author(row.author, row.holder_name, row.operator_name),
    )


def present_author(caller_name: str, holder_name: str, operator_name: str | None) -> VersionAuthor:
    """Describe who made something, from the caller's name and the names that belong to it."""
    kind = KINDS.get(caller_name.partition(":")[0], "system")
    name = {"accountHolder": holder_name, "operator": operator_name}.get(kind)
    return VersionAuthor(kind, name or None)
