"""Where rendering is done: never on the event loop and never in a transaction, and a few sites at a time, so that
everybody else is answered.

Small sites are rendered in threads; large ones, and templates of tenants, in child processes with slots of their own:
who publishes a small site does not wait for them. One brand never has all slots of a kind (decision 0040).
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from sitewright.kit.fair_slots import FairSlots
from sitewright.settings import Settings
from sitewright.sites.content.service import Weight
from sitewright.sites.publishing.apart import Made, Order, Wanted, make_builtin, render_apart
from sitewright.sites.publishing.budget import MIB, Limits
from sitewright.sites.publishing.designs import folder_of, is_builtin
from sitewright.sites.publishing.material import DesignChoice, Source

AT_ONCE = 2
WAIT_SECONDS = 60
SMALL = 1 * MIB
"""Sites of this weight take a thread a tenth of a second or two."""
PAGE_WEIGHT = 4 * 1024
STEP_WEIGHT = 100
MOST_STEPS = 300
IN_THREAD = Limits(page_bytes=4 * SMALL, site_bytes=4 * SMALL, seconds=2)
"""What a thread may spend on a site that looked small; beyond it, a child process begins anew."""


class _Place:
    """Slots for rendering, and as many threads, which render or wait for a child that does."""

    def __init__(self, name: str) -> None:
        self.slots = FairSlots(AT_ONCE)
        self.threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix=name)


_threads = _Place("rendering")
_children = _Place("rendering-apart")


class NotSmall(Exception):
    """The site looked small and is not: it is for a child process."""


def is_small(weight: Weight, design: DesignChoice, settings: Settings) -> bool:
    """Whether a thread can render it: in a template of the service, and not large as far as can be told cheaply."""
    each = PAGE_WEIGHT + STEP_WEIGHT * min(weight.pages, MOST_STEPS) + weight.shared_bytes
    is_light = weight.page_bytes + (weight.pages + 1) * each <= SMALL
    return is_light and is_builtin(folder_of(design, own_templates(settings)))


def slot(brand_ref: int, *, small: bool, wait_seconds: float = WAIT_SECONDS) -> AbstractAsyncContextManager[None]:
    """Read the site and render it inside: so no more sites are in memory than are rendered."""
    return _place(small=small).slots.slot(brand_ref, wait_seconds)


async def render(source: Source, settings: Settings, wanted: Wanted, *, small: bool) -> Made:
    """Raises `NotSmall` for a site that is not; `TemplateFailed` or `SiteTooLarge` where a child had to be ended."""
    order = Order(str(folder_of(source.design, own_templates(settings))), source, wanted, Limits.of(settings))
    work = _in_thread if small else render_apart
    return await asyncio.get_running_loop().run_in_executor(_place(small=small).threads, work, order)


def own_templates(settings: Settings) -> Path:
    """Where templates of brands, and further ones of the environment, lie: a folder each."""
    return settings.data_path / "templates"


def _place(*, small: bool) -> _Place:
    return _threads if small else _children


def _in_thread(order: Order) -> Made:
    if not is_builtin(Path(order.folder)):
        raise NotSmall
    least = Limits(
        page_bytes=min(order.limits.page_bytes, IN_THREAD.page_bytes),
        site_bytes=min(order.limits.site_bytes, IN_THREAD.site_bytes),
        seconds=IN_THREAD.seconds,
    )
    made = make_builtin(msgspec.structs.replace(order, limits=least))
    if made.too_large:
        raise NotSmall
    return made
