"""The one place where the end of account domains reaches what belongs to them.

Features above this one add their own function here, where a process is composed.
"""

from collections.abc import Awaitable, Callable, Sequence

from sitewright.kit.db import Transaction

EndWithDomains = Callable[[Transaction, Sequence[int]], Awaitable[None]]
_followers: list[EndWithDomains] = []


def add(follower: EndWithDomains) -> None:
    if follower not in _followers:
        _followers.append(follower)


def remove(follower: EndWithDomains) -> None:
    _followers.remove(follower)


async def domains_ended(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    """In the transaction in which the domains are given up: deleted, or expired for good."""
    if not account_domain_refs:
        return
    for follower in _followers:
        await follower(tx, account_domain_refs)
