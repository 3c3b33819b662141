"""An audit entry as a sentence: who did what to which object, with their names and links to their pages.

Each pair of subject and action has its own text, so that it is a sentence in every language.
"""

import re
from collections.abc import Callable
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from sitewright.kit.audit.listing.store import Entry
from sitewright.kit.http.messages import Messages
from sitewright.web.console.audit.names import KIND_OF_ACTOR, Names, acted_as, kind_of, package_of, site_of, split_actor
from sitewright.web.console.frame.navigation import (
    AUDIT,
    BRAND,
    CATALOGUE,
    CERTIFICATES,
    CREDENTIALS,
    CUSTOMERS,
    DOMAINS,
    JOBS,
    MAIL,
    REPORTS,
    RESELLERS,
    SITES,
    STAFF,
    WEBHOOKS,
)

UNKNOWN = "?"
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]+")
_OBJECT_PAGES = {
    "user": CUSTOMERS,
    "site": SITES,
    "account domain": DOMAINS,
    "reseller": RESELLERS,
    "webhook subscription": WEBHOOKS,
    "mail": MAIL,
}
"""Their objects have pages of their own."""
_PART_PAGES = {
    "operator": STAFF,
    "operatorInvitation": STAFF,
    "apiCredential": CREDENTIALS,
    "certificate": CERTIFICATES,
    "automatic certificate": f"{CERTIFICATES}/automatic",
    "user report": REPORTS,
    "data export": REPORTS,
    "catalogue": CATALOGUE,
    "brand": BRAND,
    "job": JOBS,
    "webhooks": WEBHOOKS,
}
_PARENTS: dict[str, tuple[str, str]] = {
    "mailbox": ("accountDomain", DOMAINS),
    "reseller price": ("resellerRef", RESELLERS),
    "webhook attempt": ("subscriptionId", WEBHOOKS),
}
"""Objects that are shown on the page of another, which the details name."""


class Row(msgspec.Struct, frozen=True):
    """An entry with the names that its page of the list needs."""

    entry: Entry
    names: Names


def text_key(subject: str, action: str) -> str:
    return f"audit_say_{_plain(subject)}_{_plain(action)}"


def subject_key(subject: str) -> str:
    return f"audit_subject_{_plain(subject)}"


def sentence(row: Row, messages: Messages) -> Markup:
    entry, key = row.entry, text_key(row.entry.subject, row.entry.action)
    if entry.subject_ref is None:
        key += "_all"
    parts = {"actor": actor_link(row, messages), "object": object_link(row), "site": _site_link(row)}
    if (package := package_of(entry)) is not None and f"{key}_named" in messages:
        return messages.html(f"{key}_named", package=_named(row.names, "package", package), **parts)
    if key in messages:
        return messages.html(key, **parts)
    subject = subject_label(entry.subject, messages)
    return messages.html("audit_say_other", action=entry.action, subject=subject, **parts)


def note(row: Row, messages: Messages) -> str | None:
    """What the sentence does not say."""
    ref = acted_as(row.entry)
    return None if ref is None else messages("audit_acted_as", name=_named(row.names, "user", ref))


def subject_label(subject: str, messages: Messages) -> str:
    key = subject_key(subject)
    return messages(key) if key in messages else subject


def actor_name(actor: str, names: Names, messages: Messages) -> str:
    kind, ref = split_actor(actor)
    if kind == "shell":
        return messages("audit_actor_shell", name=actor.partition(":")[2])
    if kind not in KIND_OF_ACTOR:
        return messages(f"audit_actor_{kind}" if kind in {"page", "registrar"} else "audit_actor_system")
    name = UNKNOWN if ref is None else names.get(KIND_OF_ACTOR[kind], {}).get(ref, str(ref))
    return name if kind == "operator" else messages(f"audit_actor_{kind}", name=name)


def actor_link(row: Row, messages: Messages) -> Markup:
    """To the entries of the same person or program; account holders have a page."""
    kind, ref = split_actor(row.entry.actor)
    address = f"{CUSTOMERS}/{ref}" if kind == "user" else f"{AUDIT}?{urlencode({'actor': row.entry.actor})}"
    return _link(address, actor_name(row.entry.actor, row.names, messages))


def object_name(row: Row) -> str:
    return "" if row.entry.subject_ref is None else _named(row.names, kind_of(row.entry.subject), row.entry.subject_ref)


def object_link(row: Row) -> Markup:
    return _link(_object_address(row.entry), object_name(row))


def _object_address(entry: Entry) -> str | None:
    kind = kind_of(entry.subject)
    if kind in _OBJECT_PAGES and entry.subject_ref is not None:
        return f"{_OBJECT_PAGES[kind]}/{entry.subject_ref}"
    if kind in _PARENTS:
        detail, path = _PARENTS[kind]
        return f"{path}/{entry.details[detail]}" if isinstance(entry.details.get(detail), int) else None
    return _PART_PAGES.get(kind)


def _site_link(row: Row) -> Markup:
    ref = site_of(row.entry)
    return _link(None, UNKNOWN) if ref is None else _link(f"{SITES}/{ref}", _named(row.names, "site", ref))


def _named(names: Names, kind: str, ref: int | None) -> str:
    """The name with the number, which alone is exact."""
    if ref is None:
        return UNKNOWN
    name = names.get(kind, {}).get(ref)
    return str(ref) if name is None else f"{name} ({ref})"


def _link(address: str | None, text: str) -> Markup:
    shape: Callable[..., Markup] = Markup('<a href="{}">{}</a>').format if address else Markup("{1}").format
    return shape(address, text) if text else Markup()


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub("-", text)
