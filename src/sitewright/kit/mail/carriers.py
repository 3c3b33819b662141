"""What carries letters away, and what it says when it does not. Nothing a carrier says names an address or a link."""

import re
from datetime import datetime
from typing import Protocol

import msgspec

from sitewright.kit.mail.message import Message
from sitewright.kit.mail.store import WaitingMail

_WORD = re.compile(r"[^\s<>,;:]++")
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
LONGEST_REASON = 500


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    mail: WaitingMail
    message: Message
    at: datetime


class NotCarried(Exception):
    """Why a letter was not carried away, in words an operator may read and a log may keep."""

    def __init__(self, reason: str) -> None:
        super().__init__(_LINK.sub("<link>", _WORD.sub(_without_address, reason)).strip()[:LONGEST_REASON])


def _without_address(word: re.Match[str]) -> str:
    return "<address>" if "@" in word[0][1:-1] else word[0]


class Refused(NotCarried):
    """This letter, for good."""


class NotNow(NotCarried):
    """This letter, for now."""


class Lost(NotCarried):
    """The connection, while the letter was on its way: whether it arrived is not known."""


class Nobody(NotCarried):
    """There is nobody to give any letter to."""


class Carrier(Protocol):
    async def carry(self, letter: Letter) -> dict[str, str]:
        """Returns what is worth a word in the log. Raises `NotCarried`."""

    async def settle(self) -> None:
        """Whatever was carried is there for good afterwards, and may be written down. Raises `NotCarried`."""

    async def close(self) -> None: ...
