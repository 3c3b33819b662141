"""How domains follow their account packages and their holders: called by the hooks that `app.LIFECYCLE` lists."""

from collections.abc import Sequence

from sitewright.accounts.account_packages.hooks import AddOnChange
from sitewright.domains.account_domains import store
from sitewright.domains.account_domains.hooks import domains_ended
from sitewright.domains.account_domains.jobs import FORGET_HOLDER, Domains
from sitewright.kit import clock
from sitewright.kit.db import Transaction


async def follow_packages(tx: Transaction, changes: Sequence[AddOnChange]) -> None:
    """A renewed package prolongs its domain; with a package that ends, its domain is given up.

    Set-wise, for one change or thousands. Add-ons that are not a domain's are ignored.
    """
    now = clock.now()
    replaced = [each.account_package_ref for each in changes if each.is_replaced]
    renewed = {each.account_package_ref: each.renewed_until for each in changes if each.renewed_until is not None}
    ended = {each.account_package_ref: each.at for each in changes if each.renewed_until is None}
    if replaced:
        await store.move_to_newer_packages(tx, replaced, now)
    if renewed:
        await store.prolong(tx, list(renewed), list(renewed.values()), now)
    if ended:
        gone = await store.end(tx, list(ended), list(ended.values()), now)
        if gone:
            await domains_ended.notify(tx, [ref for _, ref in gone])


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Domains stay registered until they expire; what registrars know of the holder goes, and the names of domains that
    were given up."""
    await store.forget_holder(tx, user_ref)
    domains = await store.list_registered(tx, user_ref)
    if domains:
        await FORGET_HOLDER.enqueue(tx, Domains(domains[0][0], [ref for _, ref in domains]))
