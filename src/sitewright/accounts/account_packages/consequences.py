"""The one place where what happens to an account holder reaches their sites, and what is paid for beside them.

Sites and domains stand above packages and users in this house, so they add themselves: whoever composes a process puts
their own functions here.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Offline(msgspec.Struct, frozen=True, gc=False):
    """Of this user's live sites all but `live_sites` go offline, last published first, and stay so."""

    user_ref: int
    live_sites: int = 0


class BesideChange(msgspec.Struct, frozen=True, kw_only=True):
    """A package that stands beside the subscription was renewed, or has ended."""

    user_ref: int
    package_ref: int
    account_package_ref: int
    at: datetime
    renewed_until: datetime | None
    """None: it has ended."""
    begins_anew: bool
    """Whether another account package of the same package took its place."""


TakeOffline = Callable[[Transaction, Sequence[Offline]], Awaitable[None]]
FollowBeside = Callable[[Transaction, Sequence[BesideChange]], Awaitable[None]]
_takers: list[TakeOffline] = []
_followers: list[FollowBeside] = []


def add(taker: TakeOffline) -> None:
    if taker not in _takers:
        _takers.append(taker)


def remove(taker: TakeOffline) -> None:
    _takers.remove(taker)


def add_follower(follower: FollowBeside) -> None:
    if follower not in _followers:
        _followers.append(follower)


async def take_sites_offline(tx: Transaction, changes: Sequence[Offline]) -> None:
    """In the transaction that is the reason for it."""
    if not changes:
        return
    for taker in _takers:
        await taker(tx, changes)


async def follow_beside(tx: Transaction, changes: Sequence[BesideChange]) -> None:
    """In the transaction of the changes."""
    if not changes:
        return
    for follower in _followers:
        await follower(tx, changes)
