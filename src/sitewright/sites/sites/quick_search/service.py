"""The first few sites that a search finds, for a field that suggests while somebody types."""

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.hosts import normalize_part
from sitewright.kit.paging import Window, cut
from sitewright.kit.validation import parse_ref
from sitewright.sites.sites import presenters, store

LEAST = 2
"""Characters of a domain's part: one would be in every name."""


class FoundSite(msgspec.Struct, frozen=True):
    """`domain` is the one that was searched for; empty for a site without any."""

    ref: int
    domain: str


async def search_sites(tx: Transaction, typed: str, most: int) -> list[FoundSite]:
    """By a part of a domain, or by ref."""
    ref = parse_ref(typed)
    if ref is not None:
        site = await store.find_site(tx, ref, None, deleted=False)
        return [] if site is None else [FoundSite(ref, "")]
    if len(typed) < LEAST or " " in typed:
        return []
    window, part = Window(limit=most), normalize_part(typed)
    refs = cut(window, await store.search_page(tx, part, None, window)).refs
    rows = await store.read_listed(tx, refs, window)
    sites = [presenters.listed(row) for row in rows]
    return [FoundSite(each.ref, _matching(list(each.domains.values()), part)) for each in sites]


def _matching(domains: list[str], part: str) -> str:
    return next((each for each in domains if part in each), domains[0] if domains else "")
