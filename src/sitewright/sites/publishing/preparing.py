"""Render a site before the transaction that needs it; a fingerprint detects changes made in between."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources
from sitewright.sites.content import service as content
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.content.service import ContentSize
from sitewright.sites.publishing import render_pool
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.publishing.render_input import DesignChoice, File, RenderSource
from sitewright.sites.publishing.render_pool import TooLargeForThread
from sitewright.sites.publishing.sandboxed_renderer import RenderResult, Wanted
from sitewright.sites.publishing.source_reader import (
    read_design,
    read_emptied,
    read_fingerprint,
    read_source,
    with_media,
)
from sitewright.sites.publishing.versions.stored_input import encode_input
from sitewright.sites.publishing.warnings import Reason
from sitewright.sites.sites.service import Site

FindSite = Callable[[Transaction], Awaitable[Site]]
"""Finds the site in each transaction; raises where a rule prevents publishing."""
MAX_CACHED_CHECKS = 1000
_check_cache: dict[str, list[Reason]] = {}
"""Cache of check results by fingerprint; the oldest entry is evicted."""


class Prepared(msgspec.Struct, frozen=True):
    """A rendered snapshot, valid as long as the site has the same fingerprint."""

    fingerprint: str
    template: str | None
    files: list[File] = []
    problem: Problem | None = None
    """Why there are no files."""
    content: bytes = b""
    """What the files were rendered from, encoded."""


class _Rendered(msgspec.Struct, frozen=True):
    source: RenderSource
    result: RenderResult
    problem: Problem | None

    @property
    def reasons(self) -> list[Reason]:
        found = [] if self.problem is None else [Reason(self.problem.code, self.problem.detail)]
        return found + self.result.warnings


async def prepare_snapshot(resources: Resources, brand_ref: int, find_site: FindSite) -> Prepared:
    rendered = await _render(resources, brand_ref, find_site, "files")
    if rendered.result.too_large:
        _cache_check(rendered)
    return await _prepared(rendered.source, rendered.result.files, rendered.problem)


async def prepare_emptied(resources: Resources, brand_ref: int, find_site: FindSite) -> Prepared:
    """Render the site without content; in the neutral design where its own template has an error."""
    async with resources.database.transaction(brand_ref) as tx:
        source = await read_emptied(tx, await find_site(tx))
    for design in (source.design, DesignChoice()):
        small = render_pool.is_small(ContentSize(0, 0, 0), design, resources.settings)
        async with render_pool.slot(brand_ref, small=small):
            attempt = msgspec.structs.replace(source, design=design)
            rendered = await _render_source(resources, attempt, "files", small=small)
        if rendered.problem is None:
            break
    return await _prepared(source, rendered.result.files, rendered.problem)


async def prepare_preview(resources: Resources, brand_ref: int, find_site: FindSite, template_ref: int | None) -> bytes:
    """Render the home page in another template. Raises `TemplateFailed` or `SiteTooLarge`."""
    rendered = await _render(resources, brand_ref, find_site, "page", template_ref)
    if rendered.problem is not None:
        raise rendered.problem
    return rendered.result.page


async def prepare_page(resources: Resources, brand_ref: int, find_site: FindSite, path: str) -> bytes:
    """Render the page at a path, self-contained. Raises `PageNotFound`, `TemplateFailed` or `SiteTooLarge`."""
    return _page_of(await _render(resources, brand_ref, find_site, "page", path=path))


async def prepare_stored_page(
    resources: Resources, brand_ref: int, find_site: FindSite, source: RenderSource, path: str
) -> bytes:
    """The same of content that was stored before, with the pictures that the library has now."""
    stored = source.content
    size = ContentSize(len(stored.pages), sum(map(len, stored.pages)), sum(map(len, stored.values)))
    small = render_pool.is_small(size, source.design, resources.settings)
    for in_thread in [True, False] if small else [False]:
        async with render_pool.slot(brand_ref, small=in_thread):
            async with resources.database.transaction(brand_ref) as tx:
                complete = await with_media(tx, await find_site(tx), source)
            with suppress(TooLargeForThread):
                return _page_of(await _render_source(resources, complete, "page", small=in_thread, path=path))
    raise SiteTooLarge  # a child process never raises TooLargeForThread


def _page_of(rendered: _Rendered) -> bytes:
    if rendered.problem is not None:
        raise rendered.problem
    if not rendered.result.page:
        raise PageNotFound
    return rendered.result.page


async def prepare_edited(resources: Resources, brand_ref: int, find_site: FindSite, page_ref: int | None) -> bytes:
    """Render a page for the editor. Raises `PageNotFound`, `TemplateFailed` or `SiteTooLarge`."""
    return _page_of(await _render(resources, brand_ref, find_site, "editing", page_ref=page_ref))


async def check_rendering(
    resources: Resources, brand_ref: int, find_site: FindSite, wait_seconds: float = render_pool.WAIT_SECONDS
) -> list[Reason]:
    """Return errors and warnings of rendering the site, from the cache or by rendering it."""
    async with resources.database.transaction(brand_ref) as tx:
        known = _check_cache.get(await read_fingerprint(tx, await find_site(tx)))
    if known is not None:
        return known
    rendered = await _render(resources, brand_ref, find_site, "check", wait_seconds=wait_seconds)
    if rendered.problem is None or rendered.result.too_large:  # a template error can be fixed without a new fingerprint
        _cache_check(rendered)
    return rendered.reasons


async def prepare_source(resources: Resources, source: RenderSource, *, small: bool) -> Prepared:
    """Render input that was read before, inside a slot of the render pool. May raise `TooLargeForThread`."""
    rendered = await _render_source(resources, source, "files", small=small)
    return await _prepared(source, rendered.result.files, rendered.problem)


async def _prepared(source: RenderSource, files: list[File], problem: Problem | None) -> Prepared:
    content = b"" if problem is not None else await asyncio.to_thread(encode_input, source)
    return Prepared(source.fingerprint(), source.design.directory or None, files, problem, content)


def _cache_check(rendered: _Rendered) -> None:
    if len(_check_cache) >= MAX_CACHED_CHECKS:
        del _check_cache[next(iter(_check_cache))]
    _check_cache[rendered.source.fingerprint()] = rendered.reasons


async def _render(
    resources: Resources,
    brand_ref: int,
    find_site: FindSite,
    wanted: Wanted,
    template_ref: int | None = None,
    *,
    page_ref: int | None = None,
    path: str = "",
    wait_seconds: float = render_pool.WAIT_SECONDS,
) -> _Rendered:
    """Render in a slot of the render pool, without holding a connection; the site is read inside the slot."""

    async def read_site_design(tx: Transaction, site: Site) -> DesignChoice:
        return await read_design(tx, template_ref if template_ref is not None else site.template_ref)

    async def attempt(*, small: bool) -> _Rendered:
        async with render_pool.slot(brand_ref, small=small, wait_seconds=wait_seconds):
            async with resources.database.transaction(brand_ref) as tx:
                site = await find_site(tx)
                source = await read_source(tx, site, await read_site_design(tx, site))
            return await _render_source(resources, source, wanted, small=small, page_ref=page_ref, path=path)

    async with resources.database.transaction(brand_ref) as tx:
        site = await find_site(tx)
        size, design = await content.measure(tx, site.ref), await read_site_design(tx, site)
    try:
        return await attempt(small=render_pool.is_small(size, design, resources.settings))
    except TooLargeForThread:
        return await attempt(small=False)


async def _render_source(
    resources: Resources,
    source: RenderSource,
    wanted: Wanted,
    *,
    small: bool,
    page_ref: int | None = None,
    path: str = "",
) -> _Rendered:
    try:
        result = await render_pool.render(source, resources.settings, wanted, small=small, page_ref=page_ref, path=path)
    except (TemplateFailed, SiteTooLarge) as problem:
        return _Rendered(source, RenderResult(), problem)
    return _Rendered(source, result, result.problem)
