"""How much a site may hold. Who changes its content holds the lock on it (`content.access`), so limits hold under load.

Pages and widgets are counted in an index, up to the limit. Bytes are not: a counter that is never too low is raised by
what each request sends, and only when it passes the limit is everything added up.
"""

from sitewright.kit.db import Transaction
from sitewright.kit.http import Call
from sitewright.settings import Settings
from sitewright.sites.content import store
from sitewright.sites.content.errors import SiteFull

MIB = 1024 * 1024
ROW_BYTES = 512
"""What a row may hold beside what was sent: defaults and generated values."""


async def check_page_count(tx: Transaction, settings: Settings, site_ref: int) -> None:
    """Before one more is created."""
    most = settings.site_pages_limit
    if await store.count_pages(tx, site_ref, most) >= most:
        raise SiteFull(f"The site has {most} pages, and may not have more. Delete pages first.")


async def check_widget_count(tx: Transaction, settings: Settings, site_ref: int) -> None:
    """Before one more is created."""
    most = settings.site_widgets_limit
    if await store.count_widgets(tx, site_ref, most) >= most:
        raise SiteFull(f"The site has {most} widgets, and may not have more. Delete widgets first.")


async def check_bytes(call: Call, site_ref: int) -> None:
    """After something was written: what is stored of a request is never larger than its body and its path."""
    most = call.resources.settings.site_content_mib * MIB
    counted = await store.add_bytes(call.tx, site_ref, len(call.incoming.body) + len(call.incoming.path) + ROW_BYTES)
    if (counted is None or counted > most) and await store.measure_bytes(call.tx, site_ref) > most:
        raise SiteFull(
            f"What is written on the site would take more than {most // MIB} MiB. Shorten or delete some of it first."
        )
