"""What a snapshot of a site would be made of, as everything stands now."""

import msgspec

from sitewright.content import service as content
from sitewright.kit.db import Transaction
from sitewright.profiles import service as profiles
from sitewright.publishing import store
from sitewright.publishing.material import DesignChoice, Material
from sitewright.sites.service import Site
from sitewright.templates import service as templates


async def read_material(tx: Transaction, site: Site) -> Material:
    surroundings = await store.read_surroundings(tx, site.user_ref)
    found = await content.read_content(tx, site.ref)
    return Material(
        language=surroundings.language,
        address=f"{site.protocol}://{site.primary_domain}" if site.primary_domain else "",
        profile=await profiles.read_fields(tx, site.profile_ref),
        pages=[each for each in found.pages if each.page.status == "active" and each.page.can_publish],
        global_values=found.global_values,
        static_values=found.static_values,
        design=await read_design(tx, site.template_ref),
    )


async def read_design(tx: Transaction, template_ref: int | None) -> DesignChoice:
    """The neutral one for a site without a template."""
    look = None if template_ref is None else await templates.find_look(tx, template_ref)
    if look is None:
        return DesignChoice()
    return DesignChoice(
        directory=look.directory,
        is_private=look.private,
        colour_swatch_ref=look.color_swatch_ref,
        font_swatch_ref=look.font_swatch_ref,
    )


def emptied(material: Material) -> Material:
    """The same site after everything on it was removed."""
    return msgspec.structs.replace(material, pages=[], global_values={}, static_values={})
