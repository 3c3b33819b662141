"""GET /sites: which sites a caller may list, and how a part of a host name finds them."""

import idna

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.sites.sites import store, telling
from sitewright.sites.sites.requests import SiteFilter
from sitewright.sites.sites.schemas import ListedSites


async def list_sites(tx: Transaction, caller: Caller, asked: SiteFilter) -> tuple[ListedSites, Window, Page]:
    window = Window(limit=asked.limit, offset=asked.offset, after=asked.after, before=asked.before)
    if asked.domain:
        refs = await store.search_page(tx, as_mapped(asked.domain), caller.reseller_ref, window)
    else:
        refs = await store.read_page(tx, caller.reseller_ref, window, deleted=asked.deleted)
    page = cut(window, refs)
    rows = await store.read_listed(tx, page.refs, window)
    if len(rows) < len(page.refs):
        page = cut(window, [row["ref"] for row in rows], too_large=True)
    return ListedSites([telling.listed(row) for row in rows]), window, page


def as_mapped(part: str) -> str:
    """A part of a host name the way names are kept: lower case, whole labels of other alphabets in ASCII. What can be
    no part of a name stays as it is, and is found in none.
    """
    part = part.lower()
    if part.isascii():
        return part
    try:
        return ".".join(label and idna.encode(label, uts46=True).decode("ascii") for label in part.split("."))
    except (idna.IDNAError, UnicodeError):
        return part
