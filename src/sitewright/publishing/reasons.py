"""What stands in the way of publishing a site, and what would not show as somebody may expect."""

from collections.abc import Iterator

import msgspec

from sitewright.content import service as content
from sitewright.content.schemas import PageContent
from sitewright.kit.db import Transaction
from sitewright.publishing.designs import NEUTRAL, folder_of
from sitewright.publishing.material import DesignChoice
from sitewright.publishing.reading import read_design
from sitewright.publishing.workshop import own_templates
from sitewright.settings import Settings
from sitewright.sites import service as sites
from sitewright.sites.errors import PackageLimitReached, SiteDisabled
from sitewright.sites.service import Site

MOST_WARNINGS = 100


class Reason(msgspec.Struct, frozen=True):
    """A warning does not stop publishing. `capability`: of the package, where one is in the way."""

    code: str
    detail: str
    is_warning: bool = False
    capability: str | None = None


async def find_reasons(tx: Transaction, settings: Settings, site: Site) -> list[Reason]:
    """Every rule that stands in the way, then warnings."""
    found = [] if site.enabled else [Reason(SiteDisabled.code, SiteDisabled.detail)]
    found += [_limit(reached) for reached in await sites.limits_reached(tx, site)]
    found += _about_template(await read_design(tx, site.template_ref), settings)
    pages = [page for page in (await content.read_content(tx, site.ref)).pages if page.page.status == "active"]
    return found + list(_about_widgets(pages))[:MOST_WARNINGS]


def _limit(reached: PackageLimitReached) -> Reason:
    return Reason(reached.code, reached.detail, capability=next(iter(reached.errors)))


def _about_template(design: DesignChoice, settings: Settings) -> Iterator[Reason]:
    if design.directory and folder_of(design, own_templates(settings)).name == NEUTRAL != design.directory:
        detail = f"The template {design.directory} is not installed: the site shows in a neutral design."
        yield Reason("templateNotInstalled", detail, is_warning=True)


def _about_widgets(pages: list[PageContent]) -> Iterator[Reason]:
    """One for each type that is not known, with the pages it stands on, and for each value that cannot be read."""
    unknown: dict[str, list[str]] = {}
    for page in pages:
        for widget in page.widgets:
            if content.widget_type(widget.type) is None:
                unknown.setdefault(widget.type, []).append(page.page.request)
            for name in content.wrong_values(widget):
                where = f"{name} of the widget {widget.name} on the page {page.page.request}"
                yield Reason("invalidWidgetValue", f"{where} cannot be read and counts as not sent.", is_warning=True)
    for kind, requests in unknown.items():
        where = ", ".join(dict.fromkeys(requests))
        yield Reason(
            "unknownWidgetType", f"Widgets of the type {kind} are not shown (pages: {where}).", is_warning=True
        )
