from typing import Annotated, Literal

import msgspec

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.about import about

Status = Literal["pending", "active", "failed"]


class MailboxPassword(msgspec.Struct, frozen=True):
    """The mailbox's password."""

    password: Annotated[
        str,
        about(
            "The password for IMAP and SMTP.",
            "correct horse",
            min_length=MIN_PASSWORD_LENGTH,
            max_length=MAX_PASSWORD_LENGTH,
        ),
    ]


class Mailbox(msgspec.Struct, frozen=True):
    """A mailbox of an account domain."""

    user: Annotated[str, about("The part before the @, in lower case.", "info")]
    status: Annotated[
        Status, about("`pending` until the mail server has the password, then `active`, or `failed`.", "active")
    ]


class MailboxResponse(msgspec.Struct, frozen=True):
    """The mailbox, as a list of one."""

    mailbox: Annotated[list[Mailbox], about("The mailbox.", [{"user": "info", "status": "pending"}])]


class Mailboxes(msgspec.Struct, frozen=True):
    """The mailboxes of an account domain."""

    mailboxes: Annotated[list[Mailbox], about("By name.", [{"user": "info", "status": "active"}])]


class DomainMailboxes(msgspec.Struct, frozen=True, rename="camel"):
    """An account domain and its mailboxes."""

    account_domain_ref: Annotated[int, about("The account domain's number.", 1)]
    domain_name: Annotated[str, about("Its name.", "example.com")]
    mailboxes: Annotated[list[Mailbox], about("By name; none at first.", [{"user": "info", "status": "active"}])]


class MailboxesOfUser(msgspec.Struct, frozen=True, rename="camel"):
    """Every account domain of a user, with its mailboxes."""

    domain_mailboxes: Annotated[
        list[DomainMailboxes],
        about(
            "First registered first.",
            [{"accountDomainRef": 1, "domainName": "example.com", "mailboxes": [{"user": "info", "status": "active"}]}],
        ),
    ]


class LoginToken(msgspec.Struct, frozen=True, rename="camel"):
    """A single-use password of the mailbox."""

    login_token: Annotated[
        str,
        about("A password for one log-in by IMAP, within an hour.", "1-hLz2v7Y0r1bQ4mX9cT6nK3wP8sD5fG7jA0eV2uB4yRk"),
    ]
