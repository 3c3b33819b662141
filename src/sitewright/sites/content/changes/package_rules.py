"""What the package of an account holder allows in the editor. Callers of the API are not restricted."""

from collections.abc import Iterable, Mapping
from typing import Any

from sitewright.accounts.account_packages import service as account_packages
from sitewright.sites.content.changes.work import Work
from sitewright.sites.content.schemas import CUSTOM_CSS, FAVICON
from sitewright.sites.content.widget_types.service import widget_type
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import NotInPackage, PackageLimitReached

HTML, CSS, DESIGN, SEO, TEMPLATES = "htmlEditing", "cssEditing", "designTab", "seoAndRedirects", "templatesAllowed"
SCRIPTS = {"headscript", "bodyscript"}
SEARCH_FIELDS = {"keywords", "description", "seo_title", "other_seo_title"}
DESIGN_VALUES = {"colorSwatchRef", "fontSwatchRef", FAVICON}
"""Global values that choose colors, fonts and the icon."""


async def check_widgets(work: Work, types: Iterable[str]) -> None:
    """HTML that is published as it is needs `htmlEditing`."""
    known = [found for name in types if (found := widget_type(name)) is not None]
    if any(value.type == "html" for each in known for value in each.values):
        await _require(work, HTML)


async def check_page(work: Work, fields: Mapping[str, Any]) -> None:
    """Scripts of a page need `htmlEditing`, what search engines read `seoAndRedirects`."""
    if any(fields.get(name) for name in SCRIPTS):
        await _require(work, HTML)
    if any(fields.get(name) for name in SEARCH_FIELDS):
        await _require(work, SEO)


async def check_page_count(work: Work, count: int, added: int = 1) -> None:
    """Where pages beyond `pagesLimited` cannot be published, none is added beyond it."""
    capabilities = await _capabilities(work)
    if capabilities["restrictPagesOnPublish"] and count + added > capabilities["pagesLimited"]:
        raise PackageLimitReached("pagesLimited", capabilities["pagesLimited"], count)


async def check_global_value(work: Work, name: str) -> None:
    if name in SCRIPTS:
        await _require(work, HTML)
    if name == CUSTOM_CSS:
        await _require(work, CSS)
    if name in DESIGN_VALUES:
        await _require(work, DESIGN)


async def check_design(work: Work) -> None:
    """Parts of the template (static values) need `designTab`."""
    await _require(work, DESIGN)


async def check_template(work: Work, template_ref: int) -> None:
    """The template is one that the package offers, or the one that the site has."""
    await _require(work, DESIGN)
    if not work.caller.is_account_holder:
        return
    if not await sites.may_choose_template(work.tx, work.site.user_ref, template_ref, work.site.template_ref):
        raise NotInPackage(TEMPLATES)


async def _require(work: Work, capability: str) -> None:
    if not (await _capabilities(work))[capability]:
        raise NotInPackage(capability)


class _Everything(dict[str, int]):
    """The capabilities of callers who are not restricted."""

    def __missing__(self, name: str) -> int:
        return 0 if name == "restrictPagesOnPublish" else 1


async def _capabilities(work: Work) -> Mapping[str, int]:
    if not work.caller.is_account_holder:
        return _Everything()
    return await account_packages.capabilities_of(work.tx, work.site.user_ref)
