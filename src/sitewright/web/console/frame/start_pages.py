"""`/console`: the overview for brand staff; the choice of a brand, and links to the parts, for system-owners."""

from typing import Annotated

from sitewright.kit.auth.caller import Role
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.about import about
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Forbidden
from sitewright.kit.validation import Ref, parse
from sitewright.tenants.brands import service as brands
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CONSOLE, OVERVIEW, entries_for
from sitewright.web.console.frame.page_routes import Form, form_route, page_route
from sitewright.web.console.frame.rendering import render


class BrandForm(Form, frozen=True, kw_only=True, rename="camel"):
    """The brand that a system-owner works in."""

    brand_ref: Annotated[Ref, about("One of the brands.", 1)]


async def show_start(request: ConsoleRequest) -> Response:
    """Brand staff begin with the overview of their brand; system-owners choose a brand here."""
    if request.role is not Role.SYSTEM_OWNER:
        return redirect(OVERVIEW)
    return render(
        request,
        "start.html",
        role=request.role,
        brands=await brands.list_brands(request.tx),
        chosen=request.brand_ref,
        entries=entries_for(request.role, request.brand_ref),
    )


async def choose_brand(request: ConsoleRequest) -> Response:
    if request.role is not Role.SYSTEM_OWNER:
        raise Forbidden("Only system-owners choose a brand.")
    brand_ref, database = parse(BrandForm, form_of(request.http_request)).brand_ref, request.resources.database
    async with database.transaction(brand_ref) as tx:
        await brands.require_brand(tx)
    async with database.transaction(None) as tx:
        await sessions.choose_brand(tx, request.operator.session_ref, brand_ref)
    return redirect(OVERVIEW)


PAGES = [
    console_page(
        page_route(
            CONSOLE, "showConsole", "The start page of the console: brand staff are redirected to the overview."
        ),
        show_start,
        scope=Scope.OPERATOR,
    ),
    console_page(
        form_route(
            f"{CONSOLE}/brand",
            "chooseBrand",
            "Choose the brand to work in, as a system-owner.",
            BrandForm,
            {404: "A page: there is no such brand."},
        ),
        choose_brand,
        right=Right.READ,
        scope=Scope.NONE,
    ),
]
