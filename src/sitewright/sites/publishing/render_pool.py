"""The render pool: renders a few sites at a time, never on the event loop and never in a transaction.

Small sites are rendered in threads; large ones, and tenants' templates, in child processes with separate slots, so that
small sites do not wait for them. One brand cannot take all slots of a kind (decision 0040).
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from sitewright.kit.fair_slots import FairSlots
from sitewright.settings import Settings
from sitewright.sites.content.service import ContentSize
from sitewright.sites.publishing.budget import MIB, Limits
from sitewright.sites.publishing.designs import folder_of, is_builtin
from sitewright.sites.publishing.render_input import DesignChoice, RenderSource
from sitewright.sites.publishing.sandboxed_renderer import (
    RenderRequest,
    RenderResult,
    Wanted,
    render_builtin,
    render_in_child,
)

MAX_CONCURRENT = 2
WAIT_SECONDS = 60
SMALL_BYTES = 1 * MIB
"""Rendering a site of this size takes one or two tenths of a second."""
PAGE_BYTES = 4 * 1024
NAVIGATION_ITEM_BYTES = 100
MAX_NAVIGATION_ITEMS = 300
THREAD_LIMITS = Limits(page_bytes=4 * SMALL_BYTES, site_bytes=4 * SMALL_BYTES, seconds=2)
"""Limits of a thread for a site that looked small; beyond them, rendering starts again in a child process."""


class _Pool:
    """Slots for rendering, and as many threads, which render or wait for a child process."""

    def __init__(self, name: str) -> None:
        self.slots = FairSlots(MAX_CONCURRENT)
        self.threads = ThreadPoolExecutor(MAX_CONCURRENT, thread_name_prefix=name)


_threads = _Pool("rendering")
_children = _Pool("rendering-children")


class TooLargeForThread(Exception):
    """The site looked small and is not: it must be rendered in a child process."""


def is_small(size: ContentSize, design: DesignChoice, settings: Settings) -> bool:
    """Whether a thread can render it: in a built-in template, and small by a cheap estimate."""
    each = PAGE_BYTES + NAVIGATION_ITEM_BYTES * min(size.pages, MAX_NAVIGATION_ITEMS) + size.shared_bytes
    is_small_content = size.page_bytes + (size.pages + 1) * each <= SMALL_BYTES
    return is_small_content and is_builtin(folder_of(design, own_templates(settings)))


def slot(brand_ref: int, *, small: bool, wait_seconds: float = WAIT_SECONDS) -> AbstractAsyncContextManager[None]:
    """A slot in which to read and render a site, which also bounds the sites in memory."""
    return _pool(small=small).slots.slot(brand_ref, wait_seconds)


async def render(
    source: RenderSource,
    settings: Settings,
    wanted: Wanted,
    *,
    small: bool,
    page_ref: int | None = None,
    path: str = "",
) -> RenderResult:
    """Render. Raises `TooLargeForThread`, or `TemplateFailed` or `SiteTooLarge` where a child exceeded its limits."""
    folder = str(folder_of(source.design, own_templates(settings)))
    request = RenderRequest(folder, source, wanted, Limits.of(settings), page_ref, path)
    work = _in_thread if small else render_in_child
    return await asyncio.get_running_loop().run_in_executor(_pool(small=small).threads, work, request)


def own_templates(settings: Settings) -> Path:
    """The folder of brands' own templates and additional shared ones, one subfolder each."""
    return settings.data_path / "templates"


def _pool(*, small: bool) -> _Pool:
    return _threads if small else _children


def _in_thread(request: RenderRequest) -> RenderResult:
    if not is_builtin(Path(request.folder)):
        raise TooLargeForThread
    limits = Limits(
        page_bytes=min(request.limits.page_bytes, THREAD_LIMITS.page_bytes),
        site_bytes=min(request.limits.site_bytes, THREAD_LIMITS.site_bytes),
        seconds=THREAD_LIMITS.seconds,
    )
    result = render_builtin(msgspec.structs.replace(request, limits=limits))
    if result.too_large:
        raise TooLargeForThread
    return result
