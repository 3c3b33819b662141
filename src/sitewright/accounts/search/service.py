"""Keeps search terms up to date: called by the services that change names and domains, in their transaction."""

from collections.abc import Iterable

from sitewright.accounts.search import store
from sitewright.accounts.search.hooks import OWN_NAMES, account_domain_source
from sitewright.accounts.search.rebuilding import continue_rebuilds
from sitewright.accounts.search.terms import terms_of_hosts, terms_of_texts
from sitewright.kit.db import Transaction

__all__ = [
    "add_user",
    "continue_rebuilds",
    "erase_user",
    "update_account_domain",
    "update_reseller",
    "update_site",
    "update_user",
]


async def add_user(tx: Transaction, user_ref: int, texts: Iterable[str]) -> None:
    """For a new user."""
    await store.insert_terms(tx, user_ref, OWN_NAMES, terms_of_texts(texts))


async def update_user(tx: Transaction, user_ref: int, texts: Iterable[str]) -> None:
    """The user's row is locked."""
    await store.replace_terms(tx, user_ref, OWN_NAMES, terms_of_texts(texts))


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """An anonymized user is found by its ref only."""
    await store.delete_terms(tx, user_ref)


async def update_site(tx: Transaction, user_ref: int, site_ref: int, hosts: Iterable[str]) -> None:
    """`hosts`: all that are mapped to the site. The site is locked, or new."""
    await store.replace_terms(tx, user_ref, site_ref, terms_of_hosts(hosts))


async def update_account_domain(tx: Transaction, user_ref: int, ref: int, *, host: str | None) -> None:
    """`host`: None when the domain is deleted. The user's row is locked."""
    terms = terms_of_hosts([] if host is None else [host])
    await store.replace_terms(tx, user_ref, account_domain_source(ref), terms)


async def update_reseller(tx: Transaction, reseller_ref: int, texts: Iterable[str]) -> None:
    """Without texts for a reseller that is deleted. Its row is locked, or new."""
    await store.replace_reseller_terms(tx, reseller_ref, terms_of_texts(texts))
