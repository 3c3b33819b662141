"""GET /sites: pagination, and search by a part of a host name."""

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize_part
from sitewright.kit.paging import Page, Window, cut
from sitewright.sites.sites import presenters, store
from sitewright.sites.sites.requests import SiteFilter
from sitewright.sites.sites.schemas import ListedSites


async def list_sites(tx: Transaction, caller: Caller, query: SiteFilter) -> tuple[ListedSites, Window, Page]:
    window = Window(limit=query.limit, offset=query.offset, after=query.after, before=query.before)
    if query.domain:
        refs = await store.search_page(tx, normalize_part(query.domain), caller.reseller_ref, window)
    else:
        refs = await store.read_page(tx, caller.reseller_ref, window, deleted=query.deleted)
    page = cut(window, refs)
    rows = await store.read_listed(tx, page.refs, window)
    if len(rows) < len(page.refs):
        page = cut(window, [row["ref"] for row in rows], too_large=True)
    return ListedSites([presenters.listed(row) for row in rows]), window, page
