"""`/console/credentials`: which programs have access, and when each was last used."""

from typing import Annotated, Any, Literal

from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.tenants.credentials.api_credentials import service
from sitewright.tenants.credentials.api_credentials.service import Credential, CredentialFilter, State
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CREDENTIALS
from sitewright.web.console.lists.columns import Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery

ROLES = ("brand-admin", "support", "viewer", "reseller")
CredentialRole = Literal["brand-admin", "support", "viewer", "reseller"]


class CredentialQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which credentials to list."""

    state: Annotated[State, about("Whether it is in force.", "active")] | None = None
    role: Annotated[CredentialRole, about("What it may do.", "viewer")] | None = None


async def read(tx: Transaction, query: CredentialQuery, page: PageRequest) -> Page[Credential]:
    return await service.list_page(tx, CredentialFilter(state=query.state, role=query.role), page)


async def more(request: ConsoleRequest) -> dict[str, Any]:
    return {"may_change": request.may(Right.CHANGE)}


def state_of(row: Credential) -> State:
    return "active" if row.revoked_at is None else "revoked"


def _label(row: Credential, messages: Messages) -> Cell:
    name = row.label or messages("credentials_unnamed")
    return Cell(text=name, href=f"{CREDENTIALS}/{row.ref}", note=row.consumer_key)


def _role(row: Credential, messages: Messages) -> Cell:
    href = None if row.reseller_ref is None else f"/console/resellers/{row.reseller_ref}"
    return Cell(text=messages(f"credentials_role_{row.role}"), href=href)


def _last_used(row: Credential, messages: Messages) -> Cell:
    used = row.last_used_at
    return Cell(text=messages("credentials_never") if used is None else messages.time(used))


def _state(row: Credential, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"credentials_state_{state}"), tone="good" if state == "active" else "neutral")


LIST = ConsoleList(
    path=CREDENTIALS,
    prefix="credentials",
    name="Credentials",
    summary="The API credentials of the brand.",
    query=CredentialQuery,
    columns=(
        Column(name="label", value=lambda row: row.label, show=_label, is_sortable=True),
        Column(name="role", value=lambda row: row.role, show=_role),
        Column(name="state", value=state_of, show=_state),
        Column(name="last_used", value=lambda row: row.last_used_at, show=_last_used, is_sortable=True),
        Column(name="created", value=lambda row: row.created_at),
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="reseller", value=lambda row: row.reseller_ref, only_in="file"),
        Column(name="key", value=lambda row: row.consumer_key, only_in="file"),
        Column(name="revoked", value=lambda row: row.revoked_at, only_in="file"),
    ),
    filters=(Filter(name="state", choices=("active", "revoked")), Filter(name="role", choices=ROLES)),
    read=read,
    template="credentials.html",
    more=more,
)
