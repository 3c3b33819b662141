"""`/console/audit`: who did what, when and in which request, in sentences. System-owners also see those of no brand."""

import json
from functools import partial
from typing import Annotated, Any

import msgspec
from markupsafe import Markup

from sitewright.kit.audit.listing import service
from sitewright.kit.audit.listing.service import AuditFilter
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.responses import Response
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Ref, Text, parse_query
from sitewright.tenants.brands import service as brands
from sitewright.tenants.credentials.operators import service as operators
from sitewright.web.console.audit.names import find_actor, find_names
from sitewright.web.console.audit.sentences import (
    Row,
    actor_link,
    actor_name,
    note,
    object_link,
    sentence,
    subject_label,
)
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import AUDIT
from sitewright.web.console.frame.page_routes import page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.lists.columns import Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages
from sitewright.web.console.lists.periods import period_of

SYSTEM = f"{AUDIT}/system"
SUBJECTS = (
    "user", "site", "page", "widget", "media", "redirect", "globalValue", "staticValues", "staticValue",
    "contentChange", "previewLink", "contact message", "profile", "account package", "due packages",
    "account domain", "domain", "certificate",
    "automatic certificate", "mailbox", "reseller", "reseller price", "user report",
    "data export", "operator", "operatorInvitation", "apiCredential", "webhooks", "webhook subscription",
    "webhook attempt", "mail", "job", "catalogue", "brand", "audit", "master key",
)  # fmt: skip


class AuditQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which entries to list."""

    actor: Annotated[str, Text(1, 300), about("Who did it.", "operator:3")] | None = None
    subject: Annotated[str, Text(1, 100), about("The kind of object.", "user")] | None = None
    ref: Annotated[Ref, about("The number of the object.", 12)] | None = None
    first: Annotated[str, Text(1, 40), about("The first day.", "2026-07-01")] | None = msgspec.field(
        name="from", default=None
    )
    last: Annotated[str, Text(1, 40), about("The last day.", "2026-07-31")] | None = msgspec.field(
        name="to", default=None
    )
    request: Annotated[str, Text(1, 200), about("The id of the request.", "4e7c")] | None = None


async def read(tx: Transaction, query: AuditQuery, page: PageRequest) -> Page[Row]:
    brand = await brands.settings_of_brand(tx)
    return await _read(tx, brand.brand_ref, _filter(query, brand.time_zone), page)


async def read_system(tx: Transaction, query: AuditQuery, page: PageRequest) -> Page[Row]:
    return await _read(tx, None, _filter(query, "UTC"), page)


def _filter(query: AuditQuery, zone: str) -> AuditFilter:
    since, until = period_of(query.first, query.last, zone)
    return AuditFilter(
        actor=query.actor, subject=query.subject, ref=query.ref, request_id=query.request, since=since, until=until
    )


async def _read(tx: Transaction, brand_ref: int | None, wanted: AuditFilter, page: PageRequest) -> Page[Row]:
    found = await service.list_entries(tx, brand_ref, wanted, page)
    names = await find_names(tx, found.rows)
    return found.of(lambda entry: Row(entry, names))


async def _actors(request: ConsoleRequest) -> list[tuple[str, str]]:
    """The staff, and the person or program that the list is filtered by."""
    staff = await operators.list_operators(request.tx)
    options = [(f"operator:{each.ref}", each.name or each.username) for each in staff]
    chosen = parse_query(request.http_request.query).get("actor", "")
    if chosen and chosen not in {value for value, _ in options}:
        options.append((chosen, actor_name(chosen, await find_actor(request.tx, chosen), request.messages)))
    return options


async def _subjects(request: ConsoleRequest) -> list[tuple[str, str]]:
    """By their names in the operator's language."""
    options = [(each, subject_label(each, request.messages)) for each in SUBJECTS]
    return sorted(options, key=lambda option: option[1].casefold())


def _sentence(row: Row, messages: Messages) -> Cell:
    said = Markup('<span class="audit-sentence">{}</span>').format(sentence(row, messages))
    return Cell(text=said, note=note(row, messages))


def _details(row: Row, messages: Messages, path: str) -> Cell:
    return Cell(
        text=messages("audit_show"),
        href=f"{path}/{row.entry.ref}",
        aria_label=messages("audit_show_of", ref=row.entry.ref),
    )


async def _more(request: ConsoleRequest, *, is_system: bool) -> dict[str, Any]:
    return {"is_system": is_system, "may_see_system": request.may(Right.SYSTEM)}


def _list(path: str, name: str, summary: str, **options: Any) -> ConsoleList:
    is_system = path == SYSTEM
    return ConsoleList(
        path=path,
        prefix="audit",
        name=name,
        summary=summary,
        query=AuditQuery,
        columns=(
            Column(name="at", value=lambda row: row.entry.at, is_sortable=True),
            Column(name="sentence", value=lambda row: row.entry.action, show=_sentence, only_in="page"),
            Column(name="more", value=lambda _row: None, show=partial(_details, path=path), only_in="page"),
            Column(name="ref", value=lambda row: row.entry.ref, only_in="file"),
            Column(name="actor", value=lambda row: row.entry.actor, only_in="file"),
            Column(name="action", value=lambda row: row.entry.action, only_in="file"),
            Column(name="subject", value=lambda row: row.entry.subject, only_in="file"),
            Column(name="subject_ref", value=lambda row: row.entry.subject_ref, only_in="file"),
            Column(name="request", value=lambda row: row.entry.request_id, only_in="file"),
            Column(name="details", value=lambda row: _written(row.entry.details), only_in="file"),
        ),
        filters=(
            Filter(name="actor", options=_actors),
            Filter(name="subject", options=_subjects),
            Filter(name="ref", kind="text"),
            Filter(name="from", kind="day"),
            Filter(name="to", kind="day"),
            Filter(name="request", kind="text"),
        ),
        default_sort="-at",
        template="audit.html",
        more=partial(_more, is_system=is_system),
        **options,
    )


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


async def show_entry(request: ConsoleRequest, audit_ref: int | None) -> Response:
    entry = await service.find_entry(request.tx, audit_ref or 0)
    row, messages = Row(entry, await find_names(request.tx, [entry])), request.messages
    return render(
        request,
        "audit_entry.html",
        entry=entry,
        at=messages.time(entry.at),
        sentence=sentence(row, messages),
        note=note(row, messages),
        actor=actor_link(row, messages),
        object=object_link(row),
        subject=subject_label(entry.subject, messages),
        details={name: _written(value) for name, value in entry.details.items()},
        path=request.http_request.path.rpartition("/")[0],
    )


LIST = _list(AUDIT, "Audit", "The audit log of the brand.", read=read)
SYSTEM_LIST = _list(
    SYSTEM,
    "SystemAudit",
    "The entries of the audit log that belong to no brand.",
    read=read_system,
    right=Right.SYSTEM,
    scope=Scope.OPERATOR,
)
NO_ENTRY = {404: "A page: there is no such entry."}
PAGES = [
    *list_pages(LIST),
    *list_pages(SYSTEM_LIST),
    console_page(
        page_route(f"{AUDIT}/{{audit_ref:int}}", "showAuditEntry", "An entry of the audit log.", more=NO_ENTRY),
        show_entry,
    ),
    console_page(
        page_route(
            f"{SYSTEM}/{{audit_ref:int}}",
            "showSystemAuditEntry",
            "An entry of the audit log that belongs to no brand.",
            more=NO_ENTRY | {403: "A page: only for system-owners."},
        ),
        show_entry,
        right=Right.SYSTEM,
        scope=Scope.OPERATOR,
    ),
]
