"""The pages of one API credential: what it is, creating one, and revoking it."""

from sitewright.kit.auth.caller import STAFF_ROLES
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse
from sitewright.tenants.credentials.api_credentials import service
from sitewright.tenants.credentials.api_credentials.service import NewApiCredential
from sitewright.web.console.credentials.listing import LIST, state_of
from sitewright.web.console.credentials.schemas import CredentialForm
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CREDENTIALS
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.lists.pages import list_pages

ONE = f"{CREDENTIALS}/{{credential_ref:int}}"
NEW = f"{CREDENTIALS}/new"


async def show(request: ConsoleRequest, credential_ref: int | None) -> Response:
    credential = await service.find(request.tx, credential_ref or 0)
    return render(
        request,
        "credential.html",
        credential=credential,
        state=state_of(credential),
        may_change=request.may(Right.CHANGE),
    )


async def show_new(request: ConsoleRequest, problem: Problem | None = None) -> Response:
    typed = {} if problem is None else form_of(request.http_request)
    errors = field_errors(request, problem)
    return render(
        request,
        "new_credential.html",
        200 if problem is None else problem.status,
        roles=STAFF_ROLES,
        errors=errors,
        alert=errors.get(""),
        typed={name: typed.get(name, "") for name in ("label", "role")},
    )


async def create(request: ConsoleRequest) -> Response:
    """The page with the secrets, which no other page shows."""
    form = parse(CredentialForm, form_of(request.http_request))
    wanted = NewApiCredential(label=form.label, role=form.role)
    sealer, brand_ref = request.resources.sealer, request.brand_ref or 0
    credential, secrets = await service.create(request.tx, sealer, request.caller, brand_ref, wanted)
    response = render(request, "created_credential.html", credential=credential, secrets=secrets)
    response.headers["cache-control"] = "no-store"
    return response


async def confirm_revocation(request: ConsoleRequest, credential_ref: int | None) -> Response:
    """Ask once, and say what stops working."""
    return render(request, "revoke_credential.html", credential=await service.find(request.tx, credential_ref or 0))


async def revoke(request: ConsoleRequest, credential_ref: int | None) -> Response:
    await service.revoke(request.tx, request.caller, credential_ref or 0)
    return redirect(f"{CREDENTIALS}?done=revoked")


NOT_ALLOWED = {403: "A page: the role does not allow it."}
NO_CREDENTIAL = {404: "A page: the brand has no such credential, or it is revoked already."}
PAGES = [
    *list_pages(LIST),
    console_page(
        page_route(NEW, "showNewCredential", "The form of a new API credential.", more=NOT_ALLOWED),
        show_new,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            CREDENTIALS,
            "createCredential",
            "Create an API credential, and show its secrets once.",
            CredentialForm,
            {200: "The page with the secrets.", 409: "The page again: there are too many credentials."},
        ),
        create,
        show_new,
    ),
    console_page(page_route(ONE, "showCredential", "One API credential.", more=NO_CREDENTIAL), show),
    console_page(
        page_route(
            f"{ONE}/revoke",
            "confirmCredentialRevocation",
            "Ask whether to revoke an API credential.",
            more=NO_CREDENTIAL | NOT_ALLOWED,
        ),
        confirm_revocation,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(f"{ONE}/revoke", "revokeCredential", "Revoke an API credential.", more=NO_CREDENTIAL), revoke
    ),
]
