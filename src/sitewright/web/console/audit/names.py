"""The names of the people and objects of audit entries: one statement for each kind that a page mentions."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.users import service as users
from sitewright.catalogue.packages import service as packages
from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.certificates.listing import service as certificates
from sitewright.domains.mailboxes import service as mailboxes
from sitewright.kit.audit.listing.store import Entry
from sitewright.kit.db import Transaction
from sitewright.kit.validation import parse_ref
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.domains import service as site_domains
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.invitations import service as invitations
from sitewright.tenants.credentials.operators import service as operators
from sitewright.webhooks import service as webhooks

Names: TypeAlias = dict[str, dict[int, str]]
"""By kind and ref."""


async def _package_names(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    names = dict(await packages.list_names(tx))
    return {ref: names[ref] for ref in refs if ref in names}


FIND: dict[str, Callable[[Transaction, Sequence[int]], Awaitable[dict[int, str]]]] = {
    "user": users.names_of,
    "operator": operators.names_of,
    "apiCredential": credentials.labels_of,
    "operatorInvitation": invitations.names_of,
    "reseller": resellers.names_of,
    "site": sites.names_of,
    "domain": site_domains.names_of,
    "account domain": account_domains.names_of,
    "mailbox": mailboxes.names_of,
    "certificate": certificates.names_of,
    "webhook subscription": webhooks.urls_of,
    "package": _package_names,
}
KIND_OF_ACTOR = {
    "operator": "operator",
    "credential": "apiCredential",
    "user": "user",
    "invitation": "operatorInvitation",
}
KIND_OF_SUBJECT = {"staticValues": "site", "due packages": "user"}
"""Subjects whose ref is that of another kind of object."""


def kind_of(subject: str) -> str:
    return KIND_OF_SUBJECT.get(subject, subject)


def split_actor(actor: str) -> tuple[str, int | None]:
    """`operator:3` as kind and ref."""
    kind, _, written = actor.partition(":")
    return kind, parse_ref(written)


def site_of(entry: Entry) -> int | None:
    """The site that an object, such as a page, is part of."""
    return _ref_in(entry, "site")


def acted_as(entry: Entry) -> int | None:
    """The account holder that an operator was logged in as."""
    return _ref_in(entry, "asUserRef")


def package_of(entry: Entry) -> int | None:
    """The package that a customer got."""
    return _ref_in(entry, "packageRef")


def _ref_in(entry: Entry, detail: str) -> int | None:
    ref = entry.details.get(detail)
    return ref if isinstance(ref, int) else None


async def find_names(tx: Transaction, entries: Iterable[Entry]) -> Names:
    return await _find(tx, (mention for entry in entries for mention in _mentions(entry)))


async def find_actor(tx: Transaction, actor: str) -> Names:
    return await _find(tx, [_actor(actor)])


Mention: TypeAlias = tuple[str, int | None]


def _mentions(entry: Entry) -> list[Mention]:
    return [
        _actor(entry.actor),
        (kind_of(entry.subject), entry.subject_ref),
        ("site", site_of(entry)),
        ("user", acted_as(entry)),
        ("package", package_of(entry)),
    ]


def _actor(actor: str) -> Mention:
    kind, ref = split_actor(actor)
    return KIND_OF_ACTOR.get(kind, ""), ref


async def _find(tx: Transaction, mentions: Iterable[Mention]) -> Names:
    wanted: dict[str, set[int]] = defaultdict(set)
    for kind, ref in mentions:
        if kind in FIND and ref is not None:
            wanted[kind].add(ref)
    return {kind: await FIND[kind](tx, sorted(refs)) for kind, refs in wanted.items()}
