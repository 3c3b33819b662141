"""`/console/sites`: the sites of the brand, by host name, state and customer."""

from typing import Annotated

from sitewright.kit.db import Transaction
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Ref, Text
from sitewright.sites.sites.operating import service
from sitewright.sites.sites.operating.service import SiteFilter, SiteRow, State, WantedState, state_of
from sitewright.web.console.frame.navigation import CUSTOMERS, SITES
from sitewright.web.console.lists.columns import Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages

TONES: dict[State, Tone] = {
    "published": "good",
    "neverPublished": "neutral",
    "notLive": "warn",
    "siteDisabled": "bad",
    "accountHolderSuspended": "bad",
    "accountHolderDeleted": "bad",
    "deleted": "neutral",
}


class SiteQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which sites to list."""

    search: (
        Annotated[str, Text(1, 253), about("A host name or its beginning, or a site's number.", "www.example.com")]
        | None
    ) = None
    state: Annotated[WantedState, about("`offline`: for any reason.", "published")] | None = None
    user: Annotated[Ref, about("Only sites of this user.", 41)] | None = None


async def read(tx: Transaction, query: SiteQuery, page: PageRequest) -> Page[SiteRow]:
    return await service.list_sites(tx, SiteFilter(search=query.search, state=query.state, user_ref=query.user), page)


def site_name(row: SiteRow, messages: Messages) -> str:
    return messages("site_nameless", ref=row.ref) if row.domain is None else decode_domain(row.domain)


def _domain(row: SiteRow, messages: Messages) -> Cell:
    return Cell(text=site_name(row, messages), href=f"{SITES}/{row.ref}")


def _owner(row: SiteRow, _messages: Messages) -> Cell:
    name = row.owner_name or row.owner_username
    note = row.owner_username if row.owner_username != name else None
    return Cell(text=name, href=f"{CUSTOMERS}/{row.user_ref}", note=note)


def state_cell(row: SiteRow, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"sites_state_{state}"), tone=TONES[state])


LIST = ConsoleList(
    path=SITES,
    prefix="sites",
    name="Sites",
    summary="The sites of the brand.",
    query=SiteQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="domain", value=lambda row: row.domain, show=_domain),
        Column(name="user", value=lambda row: row.user_ref, only_in="file"),
        Column(name="owner", value=lambda row: row.owner_name or row.owner_username, show=_owner),
        Column(name="state", value=state_of, show=state_cell),
        Column(name="last_publish", value=lambda row: row.last_publish_at),
        Column(name="created", value=lambda row: row.created_at),
    ),
    filters=(
        Filter(name="search", kind="search"),
        Filter(
            name="state",
            choices=("published", "publishedByOwner", "offline", *(each for each in TONES if each != "published")),
        ),
        Filter(name="user", kind="text"),
    ),
    read=read,
)
PAGES = list_pages(LIST)
