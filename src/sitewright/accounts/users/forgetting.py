"""The one place where anonymising a user reaches what others keep of them.

Features above this one that keep personal data add their own function here, where a process is composed.
"""

from collections.abc import Awaitable, Callable

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.profiles import service as profiles
from sitewright.kit import mail, tokens
from sitewright.kit.db import Transaction
from sitewright.kit.http import idempotency

Forget = Callable[[Transaction, int], Awaitable[None]]
_forgetters: list[Forget] = [
    tokens.forget_user,
    mail.forget_user,
    idempotency.forget_user,
    profiles.forget_user,
    account_packages.forget_user,
]


def add(forget: Forget) -> None:
    if forget not in _forgetters:
        _forgetters.append(forget)


def remove(forget: Forget) -> None:
    _forgetters.remove(forget)


async def forget_user(tx: Transaction, user_ref: int) -> None:
    """In the transaction that anonymises the user."""
    for forget in _forgetters:
        await forget(tx, user_ref)
