"""The names of all kinds of events, and the patterns that stand for several: the API reference lists them.

A test compares them with the kinds that the features declare (`app.EVENT_KINDS`).
"""

from typing import Literal, TypeAlias, get_args

EventName: TypeAlias = Literal[
    "user.created",
    "user.updated",
    "user.deleted",
    "user.restored",
    "user.suspended",
    "user.unsuspended",
    "user.anonymised",
    "user.loggedIn",
    "package.started",
    "package.changed",
    "package.renewed",
    "package.cancelled",
    "trial.started",
    "trial.ended",
    "charge.created",
    "charge.voided",
    "reseller.created",
    "reseller.updated",
    "reseller.deleted",
    "report.finished",
    "site.created",
    "site.updated",
    "site.offline",
    "site.deleted",
    "domain.mapped",
    "domain.unmapped",
    "site.publish",
    "certificate.issued",
    "certificate.failing",
    "certificate.expiring",
    "domain.healthy",
    "domain.failing",
    "accountDomain.registered",
    "accountDomain.renewed",
    "accountDomain.expired",
    "accountDomain.failed",
    "mailbox.created",
    "mailbox.deleted",
    "message.received",
]
Pattern: TypeAlias = Literal[
    "*",
    "user.*",
    "package.*",
    "trial.*",
    "charge.*",
    "reseller.*",
    "report.*",
    "site.*",
    "domain.*",
    "certificate.*",
    "accountDomain.*",
    "mailbox.*",
    "message.*",
]
EventPattern: TypeAlias = Literal[EventName, Pattern]
"""What can be subscribed to: one kind of event, all about one kind of object, or all."""
NAMES: tuple[str, ...] = get_args(EventName)
PATTERNS: tuple[str, ...] = get_args(Pattern)


def names_matching(pattern: str) -> list[str]:
    """The names that a name or a pattern stands for; none if it is unknown."""
    if pattern in PATTERNS:
        return [name for name in NAMES if pattern == "*" or name.startswith(pattern[:-1])]
    return [pattern] if pattern in NAMES else []
