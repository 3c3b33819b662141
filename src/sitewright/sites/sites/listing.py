"""GET /sites: pagination, and search by a part of a host name."""

import idna

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
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


def normalize_part(part: str) -> str:
    """Normalize a part of a host name as names are stored: lower case, internationalized labels in ASCII.

    A text that cannot be part of a name is returned unchanged, and matches nothing.
    """
    part = part.lower()
    if part.isascii():
        return part
    try:
        return ".".join(label and idna.encode(label, uts46=True).decode("ascii") for label in part.split("."))
    except (idna.IDNAError, UnicodeError):
        return part
