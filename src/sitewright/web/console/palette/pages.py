"""`/console/palette`: customers and sites for the command palette, whose script finds pages of the console itself."""

from sitewright.accounts.users.quick_search.service import search_users
from sitewright.accounts.users.schemas import ListedAccountHolder
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.responses import Response
from sitewright.kit.validation import parse, parse_query
from sitewright.sites.sites.quick_search.service import FoundSite, search_sites
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.messages import TEMPLATES
from sitewright.web.console.frame.navigation import CONSOLE, CUSTOMERS, SITES
from sitewright.web.console.frame.page_routes import page_route
from sitewright.web.console.palette.schemas import PaletteItem, PaletteQuery

MAX_CUSTOMERS = 6
MAX_SITES = 4


async def find(request: ConsoleRequest) -> Response:
    """A system-owner who has not chosen a brand finds only pages."""
    typed = parse(PaletteQuery, parse_query(request.http_request.query)).q.strip()
    items = await _items(request, typed) if typed and request.brand is not None else []
    return TEMPLATES.page("palette.html", brand=request.brand, headers={"cache-control": "no-store"}, items=items)


async def _items(request: ConsoleRequest, typed: str) -> list[PaletteItem]:
    async with request.resources.database.transaction(request.brand_ref) as tx:
        customers = await search_users(tx, typed, MAX_CUSTOMERS)
        sites = await search_sites(tx, typed, MAX_SITES)
    messages = request.messages
    return [*(_customer(each, messages) for each in customers), *(_site(each, messages) for each in sites)]


def _customer(holder: ListedAccountHolder, messages: Messages) -> PaletteItem:
    name = f"{holder.first_name or ''} {holder.last_name or ''}".strip() or holder.username
    note = f"{holder.email or holder.username} ({holder.ref})"
    return PaletteItem(messages("palette_customer"), name, note, f"{CUSTOMERS}/{holder.ref}")


def _site(site: FoundSite, messages: Messages) -> PaletteItem:
    kind = messages("palette_site")
    return PaletteItem(kind, site.domain or f"{kind} {site.ref}", f"({site.ref})", f"{SITES}/{site.ref}")


PAGES = [
    console_page(
        page_route(
            f"{CONSOLE}/palette",
            "findInConsole",
            "Customers and sites for the command palette of the console: a part of a page.",
            PaletteQuery,
        ),
        find,
        scope=Scope.NONE,
    ),
]
