"""What a snapshot of a site would be made of, as everything stands now."""

from sitewright.accounts.profiles import service as profiles
from sitewright.catalogue.templates import service as templates
from sitewright.kit.db import Transaction
from sitewright.sites.content import service as content
from sitewright.sites.content.service import StoredContent
from sitewright.sites.publishing import store
from sitewright.sites.publishing.material import DesignChoice, Source, fingerprint_of
from sitewright.sites.sites.service import Site

EMPTY = StoredContent([], [], "")


async def read_source(tx: Transaction, site: Site, design: DesignChoice, stored: StoredContent | None = None) -> Source:
    """With what is on the site, unless `stored` is to stand in its place."""
    surroundings = await store.read_surroundings(tx, site.user_ref)
    return Source(
        language=surroundings.language,
        address=f"{site.protocol}://{site.primary_domain}" if site.primary_domain else "",
        profile=await profiles.read_fields(tx, site.profile_ref),
        design=design,
        content=await content.read_stored(tx, site.ref) if stored is None else stored,
    )


async def read_emptied(tx: Transaction, site: Site) -> Source:
    """As the site would be after everything on it was removed."""
    return await read_source(tx, site, await read_design(tx, site.template_ref), EMPTY)


async def read_fingerprint(tx: Transaction, site: Site) -> str:
    """The fingerprint of the site's source, without reading what is on it."""
    return fingerprint_of(await read_emptied(tx, site), await content.read_digest(tx, site.ref))


async def read_design(tx: Transaction, template_ref: int | None) -> DesignChoice:
    """The neutral one for a site without a template."""
    look = None if template_ref is None else await templates.find_design(tx, template_ref)
    if look is None:
        return DesignChoice()
    return DesignChoice(
        directory=look.directory,
        is_private=look.private,
        colour_swatch_ref=look.color_swatch_ref,
        font_swatch_ref=look.font_swatch_ref,
    )
