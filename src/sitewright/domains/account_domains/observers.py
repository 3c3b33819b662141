"""Observers of account packages and users, registered in `features.LIFECYCLE`."""

from collections.abc import Sequence

from sitewright.accounts.account_packages.hooks import AddOnChange
from sitewright.accounts.search.hooks import TermsOfUsers, account_domain_source
from sitewright.domains.account_domains import store
from sitewright.domains.account_domains.domain_events import emit_expired
from sitewright.domains.account_domains.hooks import domains_ended
from sitewright.domains.account_domains.jobs import ERASE_HOLDER, Domains
from sitewright.kit import clock
from sitewright.kit.db import Transaction


async def on_add_ons_changed(tx: Transaction, changes: Sequence[AddOnChange]) -> None:
    """A renewed package extends its domain; a package that ends also ends its domain.

    In batches, for one change or thousands. Add-ons without a domain are ignored.
    """
    now = clock.now()
    replaced = [each.account_package_ref for each in changes if each.is_replaced]
    renewed = {each.account_package_ref: each.renewed_until for each in changes if each.renewed_until is not None}
    ended = {each.account_package_ref: each.at for each in changes if each.renewed_until is None}
    if replaced:
        await store.move_to_newer_packages(tx, replaced, now)
    if renewed:
        await store.extend(tx, list(renewed), list(renewed.values()), now)
    if ended:
        ended_domains = await store.end(tx, list(ended), list(ended.values()), now)
        if ended_domains:
            await domains_ended.notify(tx, [each.ref for each in ended_domains])
            await emit_expired(tx, ended_domains, now)


async def collect_terms(tx: Transaction, collected: TermsOfUsers) -> None:
    """Users are found by their domains that are not deleted."""
    for user_ref, ref, name in await store.list_names_of_users(tx, collected.user_refs):
        collected.add_host(user_ref, account_domain_source(ref), name)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Erases the holder's data at registrars, and the names of released domains; other domains stay until expiry."""
    await store.erase_holder(tx, user_ref)
    domains = await store.list_registered(tx, user_ref)
    if domains:
        await ERASE_HOLDER.enqueue(tx, Domains(domains[0][0], [ref for _, ref in domains]))
