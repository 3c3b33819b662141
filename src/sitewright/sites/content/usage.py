"""Limits of a site's content, checked under the content lock (`content.access`), so that concurrent requests cannot
exceed them.

Counting pages and widgets reads an index and stops at the limit. Bytes are estimated: each request adds its size to a
counter, which is therefore never too low, and the exact size is computed only when the counter exceeds the limit.
"""

from sitewright.kit.db import Transaction
from sitewright.kit.http import Call
from sitewright.settings import Settings
from sitewright.sites.content import store
from sitewright.sites.content.errors import SiteFull

MIB = 1024 * 1024
ROW_BYTES = 512
"""Upper bound of what a row stores besides what was sent: defaults and generated values."""


async def check_page_count(tx: Transaction, settings: Settings, site_ref: int, added: int = 1) -> None:
    """Check the limit before pages are created."""
    limit = settings.site_pages_limit
    count = await store.count_pages(tx, site_ref, limit)
    if count + added > limit:
        raise SiteFull(f"The site has {count} pages, and may not have {_more(count, limit)}. Delete pages first.")


async def check_widget_count(tx: Transaction, settings: Settings, site_ref: int, added: int = 1) -> None:
    """Check the limit before widgets are created."""
    limit = settings.site_widgets_limit
    count = await store.count_widgets(tx, site_ref, limit)
    if count + added > limit:
        raise SiteFull(f"The site has {count} widgets, and may not have {_more(count, limit)}. Delete widgets first.")


def _more(count: int, limit: int) -> str:
    return "more" if count >= limit else f"more than {limit}"


async def check_bytes(call: Call, site_ref: int) -> None:
    """Check the limit after a write; a request never stores more bytes than its body and path have."""
    added = len(call.request.body) + len(call.request.path)
    await check_added_bytes(call.tx, call.resources.settings, site_ref, added)


async def check_added_bytes(tx: Transaction, settings: Settings, site_ref: int, added: int) -> None:
    """Check the limit after a write of at most that many bytes."""
    limit = settings.site_content_mib * MIB
    counted = await store.add_bytes(tx, site_ref, added + ROW_BYTES)
    if (counted is None or counted > limit) and await store.measure_bytes(tx, site_ref) > limit:
        raise SiteFull(f"The site's content would exceed {limit // MIB} MiB. Shorten or delete some of it first.")
