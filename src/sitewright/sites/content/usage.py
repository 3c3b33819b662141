"""Limits of a site's content. They are checked under the content lock (`content.access`), so they hold under load.

Pages and widgets are counted in an index, up to the limit. Bytes are estimated: a counter that is never too low is
increased by the size of each request, and the exact size is computed only when the counter exceeds the limit.
"""

from sitewright.kit.db import Transaction
from sitewright.kit.http import Call
from sitewright.settings import Settings
from sitewright.sites.content import store
from sitewright.sites.content.errors import SiteFull

MIB = 1024 * 1024
ROW_BYTES = 512
"""Upper bound of defaults and generated values in a row, besides what was sent."""


async def check_page_count(tx: Transaction, settings: Settings, site_ref: int) -> None:
    """Check the limit before a page is created."""
    most = settings.site_pages_limit
    if await store.count_pages(tx, site_ref, most) >= most:
        raise SiteFull(f"The site has {most} pages, and may not have more. Delete pages first.")


async def check_widget_count(tx: Transaction, settings: Settings, site_ref: int) -> None:
    """Check the limit before a widget is created."""
    most = settings.site_widgets_limit
    if await store.count_widgets(tx, site_ref, most) >= most:
        raise SiteFull(f"The site has {most} widgets, and may not have more. Delete widgets first.")


async def check_bytes(call: Call, site_ref: int) -> None:
    """Check the limit after a write; a request never stores more bytes than its body and path have."""
    most = call.resources.settings.site_content_mib * MIB
    counted = await store.add_bytes(call.tx, site_ref, len(call.request.body) + len(call.request.path) + ROW_BYTES)
    if (counted is None or counted > most) and await store.measure_bytes(call.tx, site_ref) > most:
        raise SiteFull(f"The site's content would exceed {most // MIB} MiB. Shorten or delete some of it first.")
