"""`/console/certificates`: which names have a certificate, and until when."""

from typing import Annotated, Any

from sitewright.domains.certificates.listing import service
from sitewright.domains.certificates.listing.service import CertificateFilter, CertificateRow, Source, State, state_of
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CERTIFICATES
from sitewright.web.console.lists.columns import Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

TONES: dict[State, Tone] = {
    "expired": "bad",
    "within7Days": "bad",
    "within30Days": "warn",
    "valid": "good",
    "replaced": "neutral",
}


class CertificateQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which certificates to list."""

    name: Annotated[str, Text(1, 253), about("A host name, or its beginning.", "www.example.com")] | None = None
    state: Annotated[State, about("By the days left.", "within30Days")] | None = None
    source: Annotated[Source, about("Uploaded by somebody, or ordered automatically.", "automatic")] | None = None


async def read(tx: Transaction, query: CertificateQuery, page: PageRequest) -> Page[CertificateRow]:
    return await service.list_certificates(
        tx, CertificateFilter(name=query.name, state=query.state, source=query.source), page
    )


async def more(request: ConsoleRequest) -> dict[str, Any]:
    return {"may_upload": request.may(Right.CHANGE)}


def _names(row: CertificateRow, messages: Messages) -> Cell:
    shown = ", ".join(row.domains) or messages("certificate_unused")
    return Cell(text=shown, href=f"{CERTIFICATES}/{row.ref}")


def state_cell(row: CertificateRow, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"certificates_state_{state}"), tone=TONES[state])


def _source(row: CertificateRow, messages: Messages) -> Cell:
    return Cell(text=messages(f"certificates_source_{row.source}"))


LIST = ConsoleList(
    path=CERTIFICATES,
    prefix="certificates",
    name="Certificates",
    summary="The certificates of the brand.",
    query=CertificateQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="names", value=lambda row: ", ".join(row.domains), show=_names),
        Column(name="state", value=state_of, show=state_cell),
        Column(name="source", value=lambda row: row.source, show=_source),
        Column(name="not_after", value=lambda row: row.not_after, is_sortable=True),
        Column(name="created", value=lambda row: row.created_at),
        Column(name="key", value=lambda row: row.key_type),
        Column(name="fingerprint", value=lambda row: row.fingerprint, only_in="file"),
    ),
    filters=(
        Filter(name="name", kind="search"),
        Filter(name="state", choices=tuple(TONES)),
        Filter(name="source", choices=("automatic", "uploaded")),
    ),
    default_sort="not_after",
    read=read,
    template="certificate_list.html",
    more=more,
)
PAGES = list_pages(LIST)
