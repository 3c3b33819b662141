"""Rendering before the transaction that wants it: a site is read and rendered in turn, known by its fingerprint."""

from collections.abc import Awaitable, Callable

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.sites.content import service as content
from sitewright.sites.content.service import Weight
from sitewright.sites.publishing import workshop
from sitewright.sites.publishing.apart import Made, Wanted
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.publishing.material import DesignChoice, File, Source
from sitewright.sites.publishing.reading import read_design, read_emptied, read_fingerprint, read_source
from sitewright.sites.publishing.warnings import Reason
from sitewright.sites.publishing.workshop import NotSmall
from sitewright.sites.sites.service import Site

FindSite = Callable[[Transaction], Awaitable[Site]]
"""Raises where a rule stands in the way; asked again whenever a transaction begins."""
MOST_CHECKS = 1000
_checks: dict[str, list[Reason]] = {}
"""What was found wrong with sites, by fingerprint; the oldest entry is evicted."""


class Prepared(msgspec.Struct, frozen=True):
    """A snapshot made before the transaction that wants it: good for as long as the fingerprint is the site's."""

    fingerprint: str
    template: str | None
    files: list[File] = []
    problem: Problem | None = None
    """Why there are none."""


class _Rendered(msgspec.Struct, frozen=True):
    source: Source
    made: Made
    problem: Problem | None

    @property
    def reasons(self) -> list[Reason]:
        found = [] if self.problem is None else [Reason(self.problem.code, self.problem.detail)]
        return found + self.made.warnings


async def prepare_snapshot(resources: Resources, brand_ref: int, find_site: FindSite) -> Prepared:
    rendered = await _render(resources, brand_ref, find_site, "files")
    if rendered.made.too_large:
        _remember(rendered)
    return _prepared(rendered.source, rendered.made.files, rendered.problem)


async def prepare_emptied(resources: Resources, brand_ref: int, find_site: FindSite) -> Prepared:
    """The snapshot of the site after everything on it was removed: in the neutral design where its own has a fault."""
    async with resources.database.transaction(brand_ref) as tx:
        source = await read_emptied(tx, await find_site(tx))
    for design in (source.design, DesignChoice()):
        small = workshop.is_small(Weight(0, 0, 0), design, resources.settings)
        async with workshop.slot(brand_ref, small=small):
            attempt = msgspec.structs.replace(source, design=design)
            rendered = await _make(resources, attempt, "files", small=small)
        if rendered.problem is None:
            break
    return _prepared(source, rendered.made.files, rendered.problem)


async def prepare_preview(resources: Resources, brand_ref: int, find_site: FindSite, template_ref: int | None) -> bytes:
    """The home page in another template. Raises `TemplateFailed` or `SiteTooLarge`."""
    rendered = await _render(resources, brand_ref, find_site, "page", template_ref)
    if rendered.problem is not None:
        raise rendered.problem
    return rendered.made.page


async def check_rendering(
    resources: Resources, brand_ref: int, find_site: FindSite, wait_seconds: float = workshop.WAIT_SECONDS
) -> list[Reason]:
    """Whether the site can be rendered, found by rendering it unless that is known; and warnings."""
    async with resources.database.transaction(brand_ref) as tx:
        known = _checks.get(await read_fingerprint(tx, await find_site(tx)))
    if known is not None:
        return known
    rendered = await _render(resources, brand_ref, find_site, "check", wait_seconds=wait_seconds)
    if rendered.problem is None or rendered.made.too_large:  # else it may be mended without a change of the site
        _remember(rendered)
    return rendered.reasons


def _prepared(source: Source, files: list[File], problem: Problem | None) -> Prepared:
    return Prepared(source.fingerprint(), source.design.directory or None, files, problem)


def _remember(rendered: _Rendered) -> None:
    if len(_checks) >= MOST_CHECKS:
        del _checks[next(iter(_checks))]
    _checks[rendered.source.fingerprint()] = rendered.reasons


async def _render(
    resources: Resources,
    brand_ref: int,
    find_site: FindSite,
    wanted: Wanted,
    template_ref: int | None = None,
    *,
    wait_seconds: float = workshop.WAIT_SECONDS,
) -> _Rendered:
    """In the brand's turn, without a connection while it waits or renders. The site is read when its turn has come."""

    async def read_look(tx: Transaction, site: Site) -> DesignChoice:
        return await read_design(tx, template_ref if template_ref is not None else site.template_ref)

    async def attempt(*, small: bool) -> _Rendered:
        async with workshop.slot(brand_ref, small=small, wait_seconds=wait_seconds):
            async with resources.database.transaction(brand_ref) as tx:
                site = await find_site(tx)
                source = await read_source(tx, site, await read_look(tx, site))
            return await _make(resources, source, wanted, small=small)

    async with resources.database.transaction(brand_ref) as tx:
        site = await find_site(tx)
        weight, design = await content.weigh(tx, site.ref), await read_look(tx, site)
    try:
        return await attempt(small=workshop.is_small(weight, design, resources.settings))
    except NotSmall:
        return await attempt(small=False)


async def _make(resources: Resources, source: Source, wanted: Wanted, *, small: bool) -> _Rendered:
    try:
        made = await workshop.render(source, resources.settings, wanted, small=small)
    except (TemplateFailed, SiteTooLarge) as problem:
        return _Rendered(source, Made(), problem)
    return _Rendered(source, made, made.problem)
