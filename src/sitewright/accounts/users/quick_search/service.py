"""The first few users that a search finds, for a field that suggests while somebody types."""

from sitewright.accounts.search.lookup.service import check_search
from sitewright.accounts.users.schemas import ListedAccountHolder
from sitewright.accounts.users.searching import list_found
from sitewright.accounts.users.store import UserCriteria
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window


async def search_users(tx: Transaction, typed: str, most: int) -> list[ListedAccountHolder]:
    """By the beginnings of words, or by ref, without deleted ones; none where the text has no words."""
    if check_search(typed):
        return []
    found, _ = await list_found(tx, typed, UserCriteria(), Window(limit=most))
    return found[:most]
