"""What a mail server must do for the service, and the built-in one.

Whoever brings another one puts it in with `use`, where a process is composed.
"""

from typing import Protocol

import msgspec


class MailboxId(msgspec.Struct, frozen=True):
    """Which mailbox it is. Unlike its address, it never comes again once the mailbox is removed."""

    brand_ref: int
    ref: int


class Order(msgspec.Struct, frozen=True):
    """A mailbox as it is to be: with this address, opened by this password (argon2id, in PHC's format)."""

    id: MailboxId
    address: str
    password_hash: str


class Refused(Exception):
    """The mail server will not have it, however often it is asked; its text is for the operator."""


class MailServer(Protocol):
    """Called by the worker, outside any transaction. Each call may come again, and then changes nothing.

    Whatever it raises is a reason to ask again later; `Refused` is final. Nothing secret may stand in either.
    """

    async def set_up(self, order: Order) -> None:
        """Make the mailbox where there is none, and let it be opened with this password and no other."""

    async def take_down(self, mailbox: MailboxId) -> None:
        """Remove the mailbox, or do nothing where there is none of that id."""


class DovecotReady:
    """Dovecot and Postfix read the views of the schema `mail_server`, which change with the transaction that changes a
    mailbox: there is nothing to tell them."""

    async def set_up(self, order: Order) -> None:
        """The view `logins` has the password as soon as the mailbox is active."""

    async def take_down(self, mailbox: MailboxId) -> None:
        """The views have it no more, and `removed_homes` names its folder."""


_in_use: list[MailServer] = [DovecotReady()]


def use(server: MailServer) -> None:
    _in_use[0] = server


def in_use() -> MailServer:
    return _in_use[0]
