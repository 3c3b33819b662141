"""Lifecycle hooks of search: rebuilding asks the features for the texts that they keep searchable."""

from collections.abc import Iterable

import msgspec

from sitewright.accounts.search.terms import terms_of_hosts, terms_of_texts
from sitewright.kit.lifecycle import Hook

OWN_NAMES = 0
"""The source of a user's own names; a site's ref is the source of its domains."""


def account_domain_source(ref: int) -> int:
    """The source of an account domain: never a site's ref."""
    return -ref


class TermsOfUsers(msgspec.Struct):
    """The terms of some users, to which each feature adds those of its own texts."""

    user_refs: list[int]
    terms: set[tuple[int, int, str]] = msgspec.field(default_factory=set)
    """User ref, source and term."""

    def add_texts(self, user_ref: int, texts: Iterable[str]) -> None:
        self.terms |= {(user_ref, OWN_NAMES, term) for term in terms_of_texts(texts)}

    def add_host(self, user_ref: int, source: int, host: str) -> None:
        self.terms |= {(user_ref, source, term) for term in terms_of_hosts([host])}


class TermsOfResellers(msgspec.Struct):
    """The terms of all resellers of a brand."""

    terms: set[tuple[int, str]] = msgspec.field(default_factory=set)
    """Reseller ref and term."""

    def add_texts(self, reseller_ref: int, texts: Iterable[str]) -> None:
        self.terms |= {(reseller_ref, term) for term in terms_of_texts(texts)}


user_terms_collected: Hook[TermsOfUsers] = Hook("user_terms_collected")
"""The rows of these users are locked: add the terms of those that are not anonymized."""
reseller_terms_collected: Hook[TermsOfResellers] = Hook("reseller_terms_collected")
"""Add the terms of all resellers of the brand that are not deleted."""
