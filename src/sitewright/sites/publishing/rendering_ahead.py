"""Render a site as it will be after changes that are not committed, for a transaction that makes and publishes them."""

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.sites.content import service as content
from sitewright.sites.content.service import ContentSize
from sitewright.sites.publishing import render_pool
from sitewright.sites.publishing.preparing import Prepared, prepare_source
from sitewright.sites.publishing.render_input import RenderSource
from sitewright.sites.publishing.render_pool import TooLargeForThread
from sitewright.sites.publishing.source_reader import (
    read_design,
    read_emptied,
    read_fingerprint,
    read_source,
    with_media,
)
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site


class AheadOfChanges(msgspec.Struct, frozen=True):
    """The render input of a site. The content of one that exists is read later, in a slot of the render pool."""

    fingerprint: str
    source: RenderSource
    site_ref: int | None
    """None: the site is new, and the source has its content."""


async def read_ahead(tx: Transaction, site: Site, *, is_new: bool) -> AheadOfChanges:
    """Read it after the changes, in their transaction."""
    if is_new:
        source = await read_source(tx, site, await read_design(tx, site.template_ref))
        return AheadOfChanges(source.fingerprint(), source, None)
    return AheadOfChanges(await read_fingerprint(tx, site), await read_emptied(tx, site), site.ref)


async def render_ahead(resources: Resources, brand_ref: int, caller: Caller, ahead: AheadOfChanges) -> Prepared:
    """Render without holding a connection; its fingerprint differs if the content has changed since."""
    site_ref, size = ahead.site_ref, ContentSize(0, 0, 0)
    if site_ref is not None:
        async with resources.database.transaction(brand_ref) as tx:
            size = await content.measure(tx, site_ref)

    async def attempt(*, small: bool) -> Prepared:
        async with render_pool.slot(brand_ref, small=small):
            source = ahead.source
            if site_ref is not None:
                async with resources.database.transaction(brand_ref) as tx:
                    site = await sites.find_site(tx, caller, site_ref)
                    stored = await content.read_stored(tx, site_ref)
                    source = await with_media(tx, site, msgspec.structs.replace(source, content=stored))
            return await prepare_source(resources, source, small=small)

    try:
        return await attempt(small=render_pool.is_small(size, ahead.source.design, resources.settings))
    except TooLargeForThread:
        return await attempt(small=False)
