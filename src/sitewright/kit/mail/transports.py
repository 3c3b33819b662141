"""Transports of mail, and their errors. The text of an error never holds an address or a link."""

import re
from datetime import datetime
from typing import Protocol

import msgspec

from sitewright.kit.mail.message import Message
from sitewright.kit.mail.store import WaitingMail

_WORD = re.compile(r"[^\s<>,;:]++")
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
MAX_REASON_LENGTH = 500


class OutgoingMail(msgspec.Struct, frozen=True, kw_only=True):
    """A mail that is rendered and ready to be sent."""

    mail: WaitingMail
    message: Message
    at: datetime
    is_test: bool = False
    """Of a test brand."""


class SendError(Exception):
    """Why a mail was not sent, in a form that operators may read and logs may keep."""

    def __init__(self, reason: str) -> None:
        super().__init__(_LINK.sub("<link>", _WORD.sub(_without_address, reason)).strip()[:MAX_REASON_LENGTH])


def _without_address(word: re.Match[str]) -> str:
    return "<address>" if "@" in word[0][1:-1] else word[0]


class Rejected(SendError):
    """This mail will never be accepted: a dead letter."""


class TemporaryFailure(SendError):
    """This mail was not accepted now: retry later."""


class ConnectionLost(SendError):
    """The connection broke during the transfer: whether the mail arrived is unknown."""


class ServerUnavailable(SendError):
    """No mail can be sent at all."""


class Transport(Protocol):
    async def send(self, outgoing: OutgoingMail) -> dict[str, str]:
        """Returns fields for the log. Raises `SendError`."""

    async def flush(self) -> None:
        """Afterwards everything sent so far is durable and may be recorded. Raises `SendError`."""

    async def close(self) -> None: ...
