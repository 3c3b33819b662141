"""`/console/drift`: what does not match what customers pay for, by kind, with a link to where it is put right."""

from collections.abc import Callable
from typing import Annotated

import msgspec

from sitewright.accounts.users import service as users
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.provisioning.drift.service import KINDS, Drift, DriftKind, list_drift
from sitewright.sites.sites import service as sites
from sitewright.web.console.frame.navigation import CERTIFICATES, CUSTOMERS, DOMAINS, DRIFT, SITES
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

TONES: dict[DriftKind, Tone] = {
    "paidNotLive": "warn",
    "liveNotPaid": "bad",
    "suspendedServed": "bad",
    "domainElsewhere": "warn",
    "certificateExpiring": "warn",
    "mailboxWithoutDomain": "warn",
    "unclaimedAccount": "neutral",
}


class DriftQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which kind to list."""

    kind: Annotated[DriftKind, about("Only this kind.", "paidNotLive")] | None = None


class DriftRow(msgspec.Struct, frozen=True):
    of: Drift
    customer: str | None
    site: str | None
    """The main address of the site."""


async def read(tx: Transaction, query: DriftQuery, page: PageRequest) -> Page[DriftRow]:
    """The names are read with one statement for all customers, and one for all sites."""
    found = await list_drift(tx, query.kind, page)
    customers = await users.names_of(tx, [row.user_ref for row in found.rows if row.user_ref is not None])
    names = await sites.names_of(tx, [row.site_ref for row in found.rows if row.site_ref is not None])
    return found.of(lambda row: DriftRow(row, customers.get(row.user_ref or 0), names.get(row.site_ref or 0)))


def _kind(row: DriftRow, messages: Messages) -> Cell:
    return Cell(text=messages(f"drift_kind_{row.of.kind}"), tone=TONES[row.of.kind])


def _customer(row: DriftRow, messages: Messages) -> Cell:
    if row.of.user_ref is None:
        return Cell(text=NOTHING)
    name = row.customer or messages("drift_nameless", ref=row.of.user_ref)
    return Cell(text=name, href=f"{CUSTOMERS}/{row.of.user_ref}")


def _where(row: DriftRow, messages: Messages) -> Cell:
    """The page on which it can be put right."""
    drift, name = row.of, decode_domain(row.of.facts.name) if row.of.facts.name else None
    if drift.certificate_ref is not None:
        return Cell(text=name or NOTHING, href=f"{CERTIFICATES}/{drift.certificate_ref}")
    if drift.domain_ref is not None:
        return Cell(text=name or NOTHING, href=f"{SITES}/{drift.site_ref}/domains/{drift.domain_ref}")
    if drift.account_domain_ref is not None:
        return Cell(text=name or NOTHING, href=f"{DOMAINS}/{drift.account_domain_ref}")
    if drift.site_ref is None:
        return Cell(text=NOTHING)
    site = decode_domain(row.site) if row.site else messages("drift_site", ref=drift.site_ref)
    return Cell(text=site, href=f"{SITES}/{drift.site_ref}")


def _reason(row: DriftRow, messages: Messages) -> Cell:
    facts = row.of.facts
    name = decode_domain(facts.name) if facts.name else ""
    at = "" if facts.at is None else messages.short_time(facts.at)
    text = messages(f"drift_reason_{row.of.code}", number=facts.number, limit=facts.limit, name=name, at=at)
    return Cell(text=text)


def _ref(name: str) -> Callable[[DriftRow], int | None]:
    return lambda row: getattr(row.of, f"{name}_ref")


LIST = ConsoleList(
    path=DRIFT,
    prefix="drift",
    name="Drift",
    summary="What does not match what customers pay for.",
    query=DriftQuery,
    columns=(
        Column(name="kind", value=lambda row: row.of.kind, show=_kind),
        Column(name="customer", value=lambda row: row.customer, show=_customer),
        Column(name="where", value=lambda row: row.of.facts.name or row.site, show=_where),
        Column(name="reason", value=lambda row: row.of.code, show=_reason),
        *(
            Column(name=name, value=_ref(name), only_in="file")
            for name in ("user", "site", "domain", "account_domain", "certificate", "package")
        ),
    ),
    filters=(Filter(name="kind", choices=KINDS),),
    default_sort="ref",
    read=read,
)
PAGES = list_pages(LIST)
