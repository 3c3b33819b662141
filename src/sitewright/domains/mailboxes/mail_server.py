"""The interface of a mail server, and the built-in implementation.

Another implementation is set with `use`, where a process is composed.
"""

from typing import Protocol

import msgspec


class MailboxId(msgspec.Struct, frozen=True):
    """Identifies a mailbox. Unlike its address, it is never reused after the mailbox is removed."""

    brand_ref: int
    ref: int


class MailboxSpec(msgspec.Struct, frozen=True):
    """The desired state of a mailbox: its address, and its password's hash (argon2id, in PHC format)."""

    id: MailboxId
    address: str
    password_hash: str


class MailServerRefused(Exception):
    """The mail server refused permanently: there is no retry. The text is for the operator."""


class MailServer(Protocol):
    """Called by the worker, outside any transaction. Each call must be idempotent, because it may be repeated.

    Any exception causes a retry, except `MailServerRefused`, which is final. Messages must not contain secrets.
    """

    async def provision(self, spec: MailboxSpec) -> None:
        """Create the mailbox if there is none, and accept this password and no other."""

    async def deprovision(self, mailbox: MailboxId) -> None:
        """Remove the mailbox, or do nothing if there is none with that id."""


class DovecotViews:
    """Dovecot and Postfix read the views of the schema `mail_server`, which change in the same transaction as the
    mailbox, so there is nothing to send to them."""

    async def provision(self, spec: MailboxSpec) -> None:
        """The view `logins` contains the password once the mailbox is active."""

    async def deprovision(self, mailbox: MailboxId) -> None:
        """The views no longer contain it; `removed_homes` lists its folder."""


_current: list[MailServer] = [DovecotViews()]


def use(server: MailServer) -> None:
    _current[0] = server


def current() -> MailServer:
    return _current[0]
