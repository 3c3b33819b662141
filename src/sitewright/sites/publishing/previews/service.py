"""The rules of preview links. The secret of a link is stored as a digest only, and shown when it is created."""

from datetime import timedelta

from sitewright.kit import audit, clock, tokens
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.resources import Resources
from sitewright.kit.timestamps import timestamp
from sitewright.sites.publishing.errors import PreviewLinkNotFound, TooManyPreviewLinks
from sitewright.sites.publishing.preparing import prepare_page
from sitewright.sites.publishing.previews import store
from sitewright.sites.publishing.previews.schemas import CreatedPreviewLink, NewPreviewLink, PreviewLink
from sitewright.sites.publishing.previews.store import PreviewLinkRow
from sitewright.sites.publishing.versions.service import present_author
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site

__all__ = [
    "MAX_LINKS",
    "PREVIEW",
    "NewPreviewLink",
    "PreviewLink",
    "create_link",
    "delete_link",
    "erase_user",
    "find_site_ref",
    "list_links",
    "render_page",
]
PREVIEW = "/preview/"
"""The path of preview links on the service's own host, followed by the secret."""
MAX_LINKS = 100
"""Of one site, at a time."""


async def create_link(
    tx: Transaction, caller: Caller, site_ref: int, days: int, service_url: str
) -> CreatedPreviewLink:
    site = await sites.find_site(tx, caller, site_ref)
    await sites.lock_row(tx, site_ref)
    now = clock.now()
    if await store.delete_expired(tx, site_ref, now) >= MAX_LINKS:
        raise TooManyPreviewLinks
    secret = tokens.new_secret(site.brand_ref)
    digest = tokens.digest_of(secret)
    ref = await store.insert_link(tx, site_ref, digest, caller.name, now, now + timedelta(days=days))
    await audit.record_by(tx, caller, "create", "previewLink", ref, site=site_ref, days=days)
    link = _serialize(await _find_row(tx, site_ref, ref))
    return CreatedPreviewLink(
        **{name: getattr(link, name) for name in PreviewLink.__struct_fields__}, url=f"{service_url}{PREVIEW}{secret}"
    )


async def list_links(tx: Transaction, caller: Caller, site_ref: int, window: Window) -> tuple[list[PreviewLink], Page]:
    """List the links that still work, oldest first."""
    await sites.find_site(tx, caller, site_ref)
    rows = await store.list_links(tx, site_ref, clock.now(), window)
    return [_serialize(row) for row in window.shown(rows)], cut(window, [row.ref for row in rows])


async def delete_link(tx: Transaction, caller: Caller, site_ref: int, ref: int) -> None:
    await sites.find_site(tx, caller, site_ref)
    if not await store.delete_link(tx, site_ref, ref):
        raise PreviewLinkNotFound
    await audit.record_by(tx, caller, "delete", "previewLink", ref, site=site_ref)


async def find_site_ref(tx: Transaction, secret: str) -> int | None:
    """Find the site of a link that works: not where the site, or its owner, is deleted or suspended."""
    return await store.find_site(tx, tokens.digest_of(secret), clock.now())


async def render_page(resources: Resources, brand_ref: int, site_ref: int, path: str) -> bytes:
    """Render a page as it would be published now; call it without holding a connection.

    Raises `PageNotFound`, `TemplateFailed`, `SiteTooLarge` or `SiteNotFound`.
    """

    async def find_site(tx: Transaction) -> Site:
        return await sites.find_site(tx, _VISITOR, site_ref)

    return await prepare_page(resources, brand_ref, find_site, path)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete the links to all sites of an anonymized user (lifecycle hook)."""
    await store.delete_of_user(tx, user_ref)


async def _find_row(tx: Transaction, site_ref: int, ref: int) -> PreviewLinkRow:
    row = await store.read_link(tx, site_ref, ref)
    if row is None:
        raise PreviewLinkNotFound
    return row


def _serialize(row: PreviewLinkRow) -> PreviewLink:
    return PreviewLink(
        ref=row.ref,
        created=timestamp(row.created_at, row.time_zone),
        expires=timestamp(row.expires_at, row.time_zone),
        author=present_author(row.author, row.holder_name, row.operator_name),
    )


_VISITOR = Caller(role=Role.BRAND_ADMIN, name="page:preview")
"""Reads a site for a visitor who has its link; the transaction is bound to the link's brand."""
