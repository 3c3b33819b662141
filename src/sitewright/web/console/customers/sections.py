"""What the page of a customer shows: the newest few of everything, each read by one statement."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from sitewright.accounts.account_packages.history import service as history
from sitewright.accounts.account_packages.history.service import ChargeRow, HeldPackage
from sitewright.accounts.reports.data_exports import service as data_exports
from sitewright.accounts.reports.data_exports.service import DataCopy
from sitewright.accounts.users.customers import service as customers
from sitewright.accounts.users.customers.service import CustomerDetails
from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.mailboxes import service as mailboxes
from sitewright.domains.mailboxes.service import MailboxOfUser
from sitewright.edge.messages import service as contact_messages
from sitewright.edge.messages.service import Message
from sitewright.kit import audit, mail, tokens
from sitewright.kit.audit.store import AuditEntry
from sitewright.kit.db import Transaction
from sitewright.kit.mail.store import ListedMail
from sitewright.kit.tokens import Session
from sitewright.kit.validation import parse_ref
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.operators import service as operators

T = TypeVar("T")
FEW, MORE, ALL = 5, 10, 1000
OPERATOR, CREDENTIAL = "operator:", "credential:"


class Newest(msgspec.Struct, Generic[T], frozen=True):
    """The newest few, and whether there are more."""

    rows: Sequence[T]
    has_more: bool

    @classmethod
    def of(cls, rows: Sequence[T], most: int) -> "Newest[T]":
        """`rows` were read with one more than `most`."""
        return cls(rows[:most], len(rows) > most)


class Sections(msgspec.Struct, frozen=True, kw_only=True):
    customer: CustomerDetails
    packages: Newest[HeldPackage]
    charges: Newest[ChargeRow]
    sites: Newest[Site]
    domains: Newest[AccountDomain]
    mailboxes: Newest[MailboxOfUser]
    mails: Newest[ListedMail]
    messages: Newest[Message]
    number_of_messages: int
    sessions: Newest[Session]
    audit: Newest[AuditEntry]
    names: dict[str, str]
    """Names of the operators and labels of the API credentials in `audit`, by actor."""
    data_copy: DataCopy | None


async def read_sections(tx: Transaction, user_ref: int, complete: str = "") -> Sections:
    """Another brand's customer is not found. `complete`: the section that is shown with all of its rows."""
    few = {name: ALL if name == complete else FEW for name in ("mailboxes", "messages", "sessions")}
    packages = ALL if complete == "packages" else MORE
    customer = await customers.find_customer(tx, user_ref)
    entries = await audit.newest_of_subject(tx, "user", user_ref, MORE + 1)
    return Sections(
        customer=customer,
        packages=Newest.of(await history.newest_packages(tx, user_ref, packages + 1), packages),
        charges=Newest.of(await history.newest_charges(tx, user_ref, MORE + 1), MORE),
        sites=Newest.of(await sites.newest_user_sites(tx, user_ref, FEW + 1), FEW),
        domains=Newest.of(await account_domains.newest_account_domains(tx, user_ref, FEW + 1), FEW),
        mailboxes=Newest.of(await mailboxes.newest_of_user(tx, user_ref, few["mailboxes"] + 1), few["mailboxes"]),
        mails=Newest.of(await mail.newest_of_user(tx, user_ref, FEW + 1), FEW),
        messages=Newest.of(await contact_messages.newest_messages(tx, user_ref, few["messages"] + 1), few["messages"]),
        number_of_messages=await contact_messages.count_messages(tx, user_ref),
        sessions=Newest.of(await tokens.list_sessions(tx, user_ref, ""), few["sessions"]),
        audit=Newest.of(entries, MORE),
        names=await _names(tx, entries),
        data_copy=await data_exports.find_copy(tx, user_ref),
    )


async def _names(tx: Transaction, entries: Sequence[AuditEntry]) -> dict[str, str]:
    names: dict[str, str] = {}
    for kind, find in ((OPERATOR, operators.names_of), (CREDENTIAL, credentials.labels_of)):
        refs = {parse_ref(each.actor.removeprefix(kind)) for each in entries if each.actor.startswith(kind)}
        found = await find(tx, [ref for ref in refs if ref is not None]) if refs else {}
        names |= {f"{kind}{ref}": name for ref, name in found.items()}
    return names
