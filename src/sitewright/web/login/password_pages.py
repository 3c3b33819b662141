"""`/forgotten-password` and `/reset-password`: an account holder who cannot log in gets a new password by mail."""

from typing import Annotated

import msgspec

from sitewright.accounts.mailed_links import service as mailed_links
from sitewright.kit import tokens
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.auth.rate_limits import RateLimited, RateLimiter, RateLimits
from sitewright.kit.http.about import about
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, form_of, is_same_origin_form, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid, TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.text import key_of
from sitewright.kit.validation import Text, parse, parse_query, parse_ref
from sitewright.web.login import password_views as views
from sitewright.web.login.branding import find_branding
from sitewright.web.login.links import FORGOTTEN_PASSWORD, RESET_PASSWORD, reset_link

MAX_NAME = 255
SENT = "sent"
_BRAND = about("Whose account holder it is; by the host if left out.", "1")


class ForgottenForm(msgspec.Struct, frozen=True, rename="camel"):
    """Who forgot the password."""

    name: Annotated[str, Text(1, MAX_NAME), about("The user name, or the e-mail address.", "ann")]
    brand_ref: Annotated[str | None, _BRAND] = None


class ForgottenQuery(msgspec.Struct, frozen=True, rename="camel"):
    """The query of the page."""

    brand_ref: Annotated[str | None, _BRAND] = None
    sent: Annotated[str | None, about("1 after the form was sent, for the page to say so.", "1")] = None


class ResetLink(msgspec.Struct, frozen=True):
    """The parameter of the mailed link."""

    h: Annotated[str, about("The secret of the link; works once, for an hour.", "1-q1B0K8dZ5Jm0xYx0sOQ0bJ")] = ""


class ResetForm(msgspec.Struct, frozen=True):
    """The new password."""

    password: Annotated[str, Text(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH), about("The new password.", "a password")]
    h: Annotated[str, about("The secret of the mailed link.", "1-q1B0K8dZ5Jm0xYx0sOQ0bJ")] = ""


async def show_forgotten(request: Request, resources: Resources) -> Response:
    query = parse_query(request.query)
    branding = await find_branding(resources, request, parse_ref(query.get("brandRef", "")))
    return views.sent_page(branding) if query.get(SENT) else views.forgotten_page(branding)


async def request_link(request: Request, resources: Resources) -> Response:
    """The same response whether or not there is such an account: a job looks it up."""
    values = form_of(request)
    branding = await find_branding(resources, request, parse_ref(values.get("brandRef", "")))
    brand, typed = branding.brand, values.get("name", "").strip()
    if not is_same_origin_form(request):
        return views.cross_site_page(branding)
    try:
        form = parse(ForgottenForm, values | {"name": typed})
    except Invalid:
        return views.forgotten_page(branding, typed[:MAX_NAME], status=400)
    try:
        await _count(request, resources, form.name)
    except RateLimited as limited:
        return views.forgotten_page(branding, form.name, status=429, retry_after=limited.retry_after)
    asked = mailed_links.Request(
        brand_ref=brand.brand_ref if brand else None,
        reseller_ref=None,
        username=form.name,
        email=form.name,
        login_link=reset_link(resources.settings, brand),
        actor="page:forgotten-password",
        request_id=request.context.request_id,
        matches_either=True,
    )
    async with resources.database.transaction(brand.brand_ref if brand else None) as tx:
        await mailed_links.request_password_reset(tx, resources.sealer, asked)
    return redirect(f"{FORGOTTEN_PASSWORD}?{SENT}=1" + (f"&brandRef={brand.brand_ref}" if brand else ""))


async def show_reset(request: Request, resources: Resources) -> Response:
    secret = parse_query(request.query).get("h", "")
    brand_ref = tokens.brand_of(secret)
    branding = await find_branding(resources, request, brand_ref)
    if brand_ref is None or not await _is_usable(resources, brand_ref, secret):
        return views.link_expired_page(branding)
    return views.reset_page(branding, secret)


async def reset_password(request: Request, resources: Resources) -> Response:
    values = form_of(request)
    secret = values.get("h", "")
    brand_ref = tokens.brand_of(secret)
    branding = await find_branding(resources, request, brand_ref)
    if not is_same_origin_form(request):
        return views.cross_site_page(branding)
    if brand_ref is None or not await _is_usable(resources, brand_ref, secret):
        return views.link_expired_page(branding)
    try:
        password = parse(ResetForm, values).password
    except Invalid:
        return views.reset_page(branding, secret, status=400)
    password_hash = await resources.passwords.hash(password, brand_ref)
    async with resources.database.transaction(brand_ref) as tx:
        owner = await tokens.owner_of(tx, secret)
        caller = Caller(
            role=Role.BRAND_ADMIN,
            name=f"user:{owner}",
            brand_ref=brand_ref,
            request_id=request.context.request_id,
        )
        try:
            await mailed_links.reset_password(tx, resources.sealer, caller, secret, password_hash)
        except Invalid:
            return views.link_expired_page(branding)
    return views.reset_done_page(branding)


async def _is_usable(resources: Resources, brand_ref: int, secret: str) -> bool:
    """Checked before the password is hashed, so that only holders of a link cause that work."""
    async with resources.database.transaction(brand_ref) as tx:
        return await mailed_links.is_reset_usable(tx, secret)


async def _count(request: Request, resources: Resources, name: str) -> None:
    """Count each request by address and name, as failed log-ins are. Raises `RateLimited`."""
    settings = resources.settings
    limits = RateLimits(
        realm="links",
        window_seconds=settings.failure_window_seconds,
        per_pair=settings.failures_per_key,
        per_address=settings.login_failures_per_address,
        address_cap=settings.login_failures_per_address,
        per_account=None,
    )
    limiter = RateLimiter(limits, resources.sealer)
    pair = limiter.pair(request.origin.address, "link", key_of(name))
    async with resources.database.lease() as lease:
        await limiter.reserve(lease, pair, is_pending=False)


def _route(method: str, path: str, name: str, summary: str, description: str, responses: dict[int, str]) -> PublicRoute:
    is_form = method == "POST"
    schemas: dict[str, tuple[type[msgspec.Struct], type[msgspec.Struct]]] = {
        FORGOTTEN_PASSWORD: (ForgottenQuery, ForgottenForm),
        RESET_PASSWORD: (ResetLink, ResetForm),
    }
    query, form = schemas[path]
    return PublicRoute(
        method="POST" if is_form else "GET",
        path=path,
        operation_id=name,
        summary=summary,
        description=description,
        query=None if is_form else query,
        form=form if is_form else None,
        responses=responses | UNAVAILABLE | ({415: "A page: the body is not a form."} if is_form else {}),
        media_type=HTML,
        tag="login",
        errors=(TooLarge,) if is_form else (),
    )


PUBLIC = (
    _route(
        "GET",
        FORGOTTEN_PASSWORD,
        "showForgottenPassword",
        "The page that mails a link for a new password.",
        "Asks for the user name or e-mail address; without a brand, for the user name.",
        {200: "The page.", 400: "A page: the query is invalid."},
    ),
    _route(
        "POST",
        FORGOTTEN_PASSWORD,
        "requestPasswordLink",
        "Mail a link for a new password.",
        "The response is the same whether or not there is such an account holder. The link leads to the brand's"
        " `redirectURL`, else to `/reset-password`.",
        {
            303: "Sent, if there is such an account holder.",
            400: "The page again: nothing was typed.",
            403: "A page: the form came from another site.",
            429: "The page again: too many requests.",
        },
    ),
    _route(
        "GET",
        RESET_PASSWORD,
        "showResetPassword",
        "The page of the mailed link: it asks for a new password.",
        "Opening it does not use the link.",
        {200: "The page.", 400: "A page: the link was used, has expired or is unknown."},
    ),
    _route(
        "POST",
        RESET_PASSWORD,
        "resetOwnPassword",
        "Set a new password with the mailed link.",
        "Ends all sessions of the account holder.",
        {
            200: "A page: the password is changed.",
            400: "A page: the link no longer works, or the password is too short or too long.",
            403: "A page: the form came from another site.",
        },
    ),
)
PAGES = [
    Page(route, function, problem_page)
    for route, function in zip(PUBLIC, (show_forgotten, request_link, show_reset, reset_password), strict=True)
]
