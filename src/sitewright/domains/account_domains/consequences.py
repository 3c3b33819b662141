"""The one place where the end of a domain, expired or deleted, reaches what others keep on it.

Features above this one (mailboxes) add their own function here, where a process is composed.
"""

from collections.abc import Awaitable, Callable, Sequence

from sitewright.kit.db import Transaction

EndWithDomains = Callable[[Transaction, Sequence[int]], Awaitable[None]]
"""Is told the refs of account domains of the transaction's brand."""
_enders: list[EndWithDomains] = []


def add(ender: EndWithDomains) -> None:
    if ender not in _enders:
        _enders.append(ender)


async def end_with_domains(tx: Transaction, account_domain_refs: Sequence[int]) -> None:
    """In the transaction in which they end."""
    for ender in _enders:
        await ender(tx, account_domain_refs)
