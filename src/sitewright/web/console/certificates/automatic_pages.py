"""`/console/certificates/automatic`: the automatic certificates of the brand, those that are ordered or fail too."""

from datetime import datetime
from typing import Annotated

import msgspec

from sitewright.domains.certificates.acme.service import (
    AutomaticCertificateFilter,
    AutomaticCertificateRow,
    State,
    list_automatic_certificates,
    status_of_group,
)
from sitewright.kit.db import Transaction
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.sites.sites.operating import service as sites
from sitewright.web.console.frame.navigation import CERTIFICATES, SITES
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages
from sitewright.web.domains.service import reason_text

TONES: dict[State, Tone] = {"failing": "bad", "pending": "accent", "valid": "good", "expired": "bad"}


class AutomaticQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which automatic certificates to list."""

    name: Annotated[str, Text(1, 253), about("A host name, or its beginning.", "www.example.com")] | None = None
    state: Annotated[State, about("`pending`: being ordered for the first time.", "failing")] | None = None


class AutomaticRow(msgspec.Struct, frozen=True):
    of: AutomaticCertificateRow
    site_ref: int | None
    """The site of one of its hosts, where the order can be retried."""

    @property
    def state(self) -> State:
        return status_of_group(self.of)

    @property
    def next_attempt(self) -> datetime | None:
        """The renewal, or the next attempt where something is in the way."""
        is_renewal = self.of.due_at is not None and self.of.renew_at is not None and self.of.reason_code is None
        return self.of.renew_at if is_renewal else self.of.due_at


async def read(tx: Transaction, query: AutomaticQuery, page: PageRequest) -> Page[AutomaticRow]:
    wanted = AutomaticCertificateFilter(name=query.name, state=query.state)
    found = await list_automatic_certificates(tx, wanted, page)
    site_refs = await sites.find_sites_of_hosts(tx, [host for row in found.rows for host in row.hosts])
    return found.of(lambda row: AutomaticRow(row, next((site_refs.get(host) for host in row.hosts), None)))


def _hosts(row: AutomaticRow) -> list[str]:
    return row.of.hosts or [f"*.{row.of.name}" if row.of.is_wildcard else row.of.name]


def _names(row: AutomaticRow, messages: Messages) -> Cell:
    shown = ", ".join(decode_domain(each) for each in _hosts(row))
    href = None if row.site_ref is None else f"{SITES}/{row.site_ref}"
    return Cell(text=shown, href=href, note=None if row.of.hosts else messages("automatic_unused"))


def _state(row: AutomaticRow, messages: Messages) -> Cell:
    return Cell(text=messages(f"automatic_state_{row.state}"), tone=TONES[row.state])


def _reason(row: AutomaticRow, messages: Messages) -> Cell:
    if row.of.reason_code is None:
        return Cell(text=NOTHING)
    return Cell(text=reason_text(row.of.reason_code, row.of.reason_detail or "", messages))


LIST = ConsoleList(
    path=f"{CERTIFICATES}/automatic",
    prefix="automatic",
    name="AutomaticCertificates",
    summary="The automatic certificates of the brand.",
    query=AutomaticQuery,
    columns=(
        Column(name="ref", value=lambda row: row.of.ref, is_sortable=True, is_number=True),
        Column(name="names", value=lambda row: ", ".join(_hosts(row)), show=_names),
        Column(name="state", value=lambda row: row.state, show=_state),
        Column(name="not_after", value=lambda row: row.of.not_after),
        Column(name="next_attempt", value=lambda row: row.next_attempt),
        Column(name="reason", value=lambda row: row.of.reason_detail, show=_reason),
    ),
    filters=(Filter(name="name", kind="search"), Filter(name="state", choices=tuple(TONES))),
    read=read,
)
PAGES = list_pages(LIST)
