"""The list of emails."""

import msgspec

from sitewright.accounts.search.lookup import service as search
from sitewright.accounts.users.service import find_recipients
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.mail.listing import service
from sitewright.kit.mail.listing.service import MailFilter, State, state_of
from sitewright.kit.mail.listing.store import MailRow
from sitewright.kit.mail_features import Recipient
from sitewright.kit.paging import Window
from sitewright.kit.problems import Invalid
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.mail_kinds import kind_label
from sitewright.web.console.frame.navigation import CUSTOMERS, MAIL
from sitewright.web.console.lists.columns import Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList
from sitewright.web.console.lists.periods import period_of
from sitewright.web.console.mail.schemas import MailQuery

TONES: dict[State, Tone] = {"waiting": "warn", "sent": "good", "failed": "bad"}
MOST_RECIPIENTS = 100
"""Customers that a name or address may stand for."""


class Row(msgspec.Struct, frozen=True):
    mail: MailRow
    recipient: Recipient | None
    """None: the brand's staff, or a customer who is deleted."""


async def read(tx: Transaction, query: MailQuery, page: PageRequest) -> Page[Row]:
    since, until = period_of(query.first, query.last, (await brands.settings_of_brand(tx)).time_zone)
    refs_of_users = await _user_refs(tx, query)
    wanted = MailFilter(state=query.state, kind=query.kind, user_refs=refs_of_users, since=since, until=until)
    found = await service.list_mails(tx, wanted, page)
    refs = sorted({row.user_ref for row in found.rows if row.user_ref is not None})
    recipients = await find_recipients(tx, refs)
    return found.of(lambda mail: Row(mail, recipients.get(mail.user_ref or 0)))


async def _user_refs(tx: Transaction, query: MailQuery) -> list[int] | None:
    if query.recipient is None:
        return None if query.user is None else [query.user]
    errors = search.check_search(query.recipient)
    if errors:
        raise Invalid.fields({"recipient": {"invalidRecipient": next(iter(errors["search"].values()))}})
    window = Window(limit=MOST_RECIPIENTS)
    found = await search.find_users(tx, query.recipient, search.Filter(show_deleted=True), window)
    return [ref for ref in found.refs if query.user in (None, ref)]


async def _kinds(request: ConsoleRequest) -> list[tuple[str, str]]:
    kinds = [(name, kind_label(name, request.messages)) for name in request.resources.mail.kinds]
    return sorted(kinds, key=lambda option: option[1].casefold())


async def _more(request: ConsoleRequest) -> dict[str, bool]:
    return {"may_retry": request.may(Right.SUPPORT)}


def name_of(recipient: Recipient) -> str:
    return f"{recipient.first_name or ''} {recipient.last_name or ''}".strip() or recipient.username or ""


def _kind(row: Row, messages: Messages) -> Cell:
    return Cell(text=kind_label(row.mail.kind, messages), href=f"{MAIL}/{row.mail.ref}")


def _recipient(row: Row, messages: Messages) -> Cell:
    ref = row.mail.user_ref
    if ref is None:
        return Cell(text=messages("mail_to_staff"))
    if row.recipient is None:
        return Cell(text=messages("mail_to_deleted", ref=ref), href=f"{CUSTOMERS}/{ref}")
    return Cell(text=name_of(row.recipient), href=f"{CUSTOMERS}/{ref}", note=row.recipient.email)


def _state(row: Row, messages: Messages) -> Cell:
    state = state_of(row.mail)
    return Cell(text=messages(f"mail_state_{state}"), tone=TONES[state], note=row.mail.last_error)


LIST = ConsoleList(
    path=MAIL,
    prefix="mail",
    name="Mail",
    summary="The emails of the brand.",
    query=MailQuery,
    columns=(
        Column(name="ref", value=lambda row: row.mail.ref, is_sortable=True, is_number=True),
        Column(name="kind", value=lambda row: row.mail.kind, show=_kind),
        Column(name="recipient", value=lambda row: row.recipient and row.recipient.email, show=_recipient),
        Column(name="state", value=lambda row: state_of(row.mail), show=_state),
        Column(name="attempts", value=lambda row: row.mail.attempts, is_number=True),
        Column(name="created", value=lambda row: row.mail.created_at),
        Column(name="sent", value=lambda row: row.mail.sent_at, only_in="file"),
        Column(name="failed", value=lambda row: row.mail.failed_at, only_in="file"),
        Column(name="error", value=lambda row: row.mail.last_error, only_in="file"),
        Column(name="user", value=lambda row: row.mail.user_ref, only_in="file"),
    ),
    filters=(
        Filter(name="recipient", kind="search"),
        Filter(name="state", choices=("waiting", "sent", "failed")),
        Filter(name="kind", options=_kinds),
        Filter(name="user", kind="text"),
        Filter(name="from", kind="day"),
        Filter(name="to", kind="day"),
    ),
    read=read,
    template="mails.html",
    more=_more,
)
