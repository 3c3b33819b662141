"""The one place where what happens to an account holder reaches their sites.

Sites stand above packages and users in this house, so they add themselves: whoever composes a process puts the sites'
own function here.
"""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from sitewright.kit.db import Transaction


class Offline(msgspec.Struct, frozen=True):
    """Of this user's live sites all but `live_sites` go offline, last published first, and stay so."""

    user_ref: int
    live_sites: int = 0


TakeOffline = Callable[[Transaction, Sequence[Offline]], Awaitable[None]]
_takers: list[TakeOffline] = []


def add(taker: TakeOffline) -> None:
    if taker not in _takers:
        _takers.append(taker)


def remove(taker: TakeOffline) -> None:
    _takers.remove(taker)


async def take_sites_offline(tx: Transaction, changes: Sequence[Offline]) -> None:
    """In the transaction that is the reason for it."""
    if not changes:
        return
    for taker in _takers:
        await taker(tx, changes)
