"""Rules that prevent publishing a site, and warnings about its template."""

from collections.abc import Iterator

from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.sites.publishing.designs import NEUTRAL, folder_of
from sitewright.sites.publishing.render_input import DesignChoice
from sitewright.sites.publishing.render_pool import own_templates
from sitewright.sites.publishing.source_reader import read_design
from sitewright.sites.publishing.warnings import Reason
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import PackageLimitReached, SiteDisabled
from sitewright.sites.sites.service import Site


async def find_violations(tx: Transaction, site: Site) -> list[Reason]:
    """Find every rule that prevents publishing, independent of the site's content."""
    found = [] if site.enabled else [Reason(SiteDisabled.code, SiteDisabled.detail)]
    return found + [_limit(reached) for reached in await sites.limits_reached(tx, site)]


async def find_template_warnings(tx: Transaction, settings: Settings, site: Site) -> list[Reason]:
    return list(_about_template(await read_design(tx, site.template_ref), settings))


def _limit(reached: PackageLimitReached) -> Reason:
    return Reason(reached.code, reached.detail, capability=reached.capability, limit=reached.limit, use=reached.use)


def _about_template(design: DesignChoice, settings: Settings) -> Iterator[Reason]:
    if design.directory and folder_of(design, own_templates(settings)).name == NEUTRAL != design.directory:
        detail = f"The template {design.directory} is not installed: the site shows in a neutral design."
        yield Reason("templateNotInstalled", detail, is_warning=True)
