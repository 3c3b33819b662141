"""Read the current render input of a site."""

import re

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.catalogue.templates import service as templates
from sitewright.kit.db import Transaction
from sitewright.sites.content import service as content
from sitewright.sites.content.service import StoredContent
from sitewright.sites.media import service as media
from sitewright.sites.media.delivery.service import own_host_prefix
from sitewright.sites.publishing import store
from sitewright.sites.publishing.render_input import DesignChoice, RenderSource, fingerprint_of
from sitewright.sites.sites.service import Site

_MEDIA = re.compile(r"media:([1-9][0-9]{0,17})")
EMPTY = StoredContent([], [], "")


async def read_source(
    tx: Transaction, site: Site, design: DesignChoice, stored: StoredContent | None = None
) -> RenderSource:
    """Read the input; `stored` replaces the site's content."""
    context = await store.read_context(tx, site.user_ref)
    profile = await profiles.read_fields(tx, site.profile_ref)
    if stored is None:
        stored = await content.read_stored(tx, site.ref)
    source = RenderSource(
        language=context.language,
        address=f"{site.protocol}://{site.primary_domain}" if site.primary_domain else "",
        profile=profile,
        design=design,
        content=stored,
        template_ref=site.template_ref,
    )
    return await with_media(tx, site, source)


async def with_media(tx: Transaction, site: Site, source: RenderSource) -> RenderSource:
    """Add the pictures that the input may name, as the library has them now."""
    refs = _media_refs(*source.profile.values(), *source.content.pages, *source.content.values)
    return msgspec.structs.replace(
        source,
        media=await media.files_of(tx, site.ref, sorted(refs)) if refs else {},
        preview_media=own_host_prefix(site.brand_ref, site.ref),
    )


def _media_refs(*texts: str) -> set[int]:
    """The refs of all pictures that the texts may name; the content is still encoded."""
    return {int(ref) for text in texts if "media:" in text for ref in _MEDIA.findall(text)}


async def read_emptied(tx: Transaction, site: Site) -> RenderSource:
    """Read the input of the site without content."""
    return await read_source(tx, site, await read_design(tx, site.template_ref), EMPTY)


async def read_fingerprint(tx: Transaction, site: Site) -> str:
    """Compute the fingerprint of the site's input without reading its content."""
    return fingerprint_of(await read_emptied(tx, site), await content.read_digest(tx, site.ref))


async def read_design(tx: Transaction, template_ref: int | None) -> DesignChoice:
    """Read the design of a template; the neutral one for a site without a template."""
    design = None if template_ref is None else await templates.find_design(tx, template_ref)
    if design is None:
        return DesignChoice()
    return DesignChoice(
        directory=design.directory,
        is_private=design.private,
        color_swatch_ref=design.color_swatch_ref,
        font_swatch_ref=design.font_swatch_ref,
    )
