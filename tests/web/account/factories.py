"""Factories of sites and templates for the tests of the pages."""

from typing import Any

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support import sites
from tests.support.cast import OWN_BRAND
from tests.support.users import OwnerConnection, insert

COFFEE_HOUSE, ATELIER, CORNER_SHOP, CONSULT = 1, 2, 3, 4


async def make_site(
    owner: OwnerConnection,
    resources: Resources,
    user_ref: int,
    domain: str | None = "www.example.com",
    brand_ref: int = OWN_BRAND,
    **columns: Any,
) -> int:
    """A site of the user with a template, and with `domain` as its primary one; `columns` are those of `sites`."""
    columns = {"template_ref": COFFEE_HOUSE} | columns
    site_ref = await sites.make_site(owner, resources, brand_ref, user_ref=user_ref, **columns)
    if domain is not None:
        await sites.make_domain(owner, brand_ref, site_ref, domain)
    return site_ref


async def make_template(owner: OwnerConnection, name: str, **columns: Any) -> int:
    """Called like its directory; `columns` are those of `templates`."""
    row: dict[str, Any] = {
        "name": name,
        "directory": name,
        "thumbnail": "coffee-house.svg",
        "font_swatch_ref": 1,
        "color_swatch_ref": 1,
        "group_refs": [1, 2, 3],
        "category_refs": [],
        "tag_refs": [],
        "updated_at": clock.now(),
    }
    return await insert(owner, "templates", row | columns)
