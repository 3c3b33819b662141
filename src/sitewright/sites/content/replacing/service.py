"""Replaces the whole content of a site, for example by that of a published version."""

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.sites.content import store as content_store
from sitewright.sites.content.pages import service as pages
from sitewright.sites.content.redirects import service as redirects
from sitewright.sites.content.replacing import store
from sitewright.sites.content.stored import StoredContent


async def replace(tx: Transaction, site_ref: int, stored: StoredContent) -> None:
    """Replace pages, widgets and values, under the content lock. Pages and widgets get the refs that they had.

    Redirects stay; a page whose address differs keeps its former one. The caller writes the audit entry.
    """
    await content_store.lock_content(tx, site_ref)
    before = await pages.read_paths(tx, site_ref)
    await content_store.delete_content(tx, site_ref)
    await store.insert_pages(tx, site_ref, stored.pages)
    await store.insert_values(tx, site_ref, stored.values, clock.now())
    await redirects.record_moves(tx, site_ref, before, await pages.read_paths(tx, site_ref))
