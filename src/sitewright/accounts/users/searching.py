"""Which texts of users can be searched for, and the list of those that a search finds."""

import msgspec

from sitewright.accounts.search import service as search
from sitewright.accounts.search.hooks import TermsOfUsers
from sitewright.accounts.search.lookup import service as lookup
from sitewright.accounts.search.lookup.service import Filter
from sitewright.accounts.users import presenters, store
from sitewright.accounts.users.schemas import ListedAccountHolder
from sitewright.accounts.users.store import Counted, UserCriteria
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut

SEARCHED_COLUMNS = frozenset({"first_name", "last_name", "company", "username", "email"})


async def update_terms(tx: Transaction, user_ref: int) -> None:
    """After a change of one of the searched columns. The user's row is locked."""
    for ref, texts in await store.list_searched_texts(tx, [user_ref]):
        await search.update_user(tx, ref, texts)


async def collect_terms(tx: Transaction, collected: TermsOfUsers) -> None:
    """Observes `user_terms_collected`."""
    for ref, texts in await store.list_searched_texts(tx, collected.user_refs):
        collected.add_texts(ref, texts)


async def list_found(
    tx: Transaction, text: str, criteria: UserCriteria, window: Window
) -> tuple[list[ListedAccountHolder], Page]:
    """A page of the users that a search finds. It may be short although more follow: `Page.resume` then leads on."""
    where = Filter(
        show_deleted=criteria.show_deleted,
        reseller_ref=criteria.reseller_ref,
        since=criteria.since,
        until=criteria.until,
    )
    found = await lookup.find_users(tx, text, where, window)
    shown = UserCriteria(show_deleted=True, refs=found.refs)
    rows, too_large = await store.read_page(tx, shown, Counted(len(found.refs)), window) if found.refs else ([], False)
    page = cut(window, [row["ref"] for row in rows], too_large=too_large or found.resume is not None)
    if found.resume is not None and not too_large:
        page = msgspec.structs.replace(page, resume=found.resume)
    return [presenters.listed(row) for row in window.shown(rows)], page
