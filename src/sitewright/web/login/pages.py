"""`/login` and `/logout`."""

from datetime import timedelta
from typing import Any

from sitewright.kit import tokens
from sitewright.kit.auth.rate_limits import log_failure
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, form_of, is_same_origin_form, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.http.session_cookie import no_session_cookie, session_cookie, session_of
from sitewright.kit.problems import Invalid, TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.tokens.operator_sessions import is_operator_session
from sitewright.kit.validation import parse, parse_query, parse_ref
from sitewright.web.login import passwords, service, views
from sitewright.web.login.branding import Branding, find_branding
from sitewright.web.login.destinations import Target, check_target, log_in_path, read_target
from sitewright.web.login.errors import (
    CrossSiteRequest,
    InvalidHash,
    InvalidLogOutToken,
    LogInError,
    TooManyAttempts,
    WrongCredentials,
)
from sitewright.web.login.log_in_as import service as log_in_as
from sitewright.web.login.schemas import LogInForm, LogInQuery, LogOutForm
from sitewright.web.login.service import LoggedIn, LogIn


async def show_log_in(request: Request, resources: Resources) -> Response:
    query = parse_query(request.query)
    secret, r = query.get("hash"), query.get("r")
    brand_ref = parse_ref(query.get("brandRef", "")) if secret is None else tokens.brand_of(secret)
    branding = await find_branding(resources, request, brand_ref)
    try:
        if secret is not None:
            return await _log_in_by_hash(request, resources, branding, secret, r)
        target = _target(request, r)
        if target is not None and branding.brand is not None:
            check_target(target, branding.brand)
    except LogInError as error:
        return views.error_page(request, branding, error)
    return views.log_in_page(branding, r=r)


async def _log_in_by_hash(
    request: Request, resources: Resources, branding: Branding, secret: str, r: str | None
) -> Response:
    brand = branding.brand
    if brand is None or brand.brand_ref != tokens.brand_of(secret):
        raise InvalidHash
    options = _options(request, resources, _target(request, r))
    dry_run = request.context.method == "HEAD"  # sent by mail scanners and link previews
    async with resources.database.transaction(brand.brand_ref) as tx:
        logged_in = await service.log_in_by_hash(tx, brand, secret, options, dry_run=dry_run)
    return _redirect_logged_in(request, logged_in, options)


async def log_in(request: Request, resources: Resources) -> Response:
    try:
        is_trusted = await passwords.check_address(resources, request.origin.address)
    except TooManyAttempts as error:
        return views.error_page(request, await find_branding(resources, request, None), error)
    values = form_of(request)
    branding = await find_branding(resources, request, parse_ref(values.get("brandRef", "")))
    try:
        if not is_same_origin_form(request):
            raise CrossSiteRequest
        form = _log_in_form(request, values)
        options = _options(request, resources, _target(request, form.r))
        attempt = passwords.Attempt(
            username=form.username,
            password=form.password,
            brand_ref=branding.brand.brand_ref if branding.brand else None,
            address=request.origin.address,
            is_trusted=is_trusted,
            request_id=request.context.request_id,
        )
        logged_in = await passwords.log_in_by_password(resources, attempt, options)
    except LogInError as error:
        return views.error_page(request, branding, error, r=values.get("r"), username=values.get("username", "")[:255])
    return _redirect_logged_in(request, logged_in, options)


async def log_out(request: Request, resources: Resources) -> Response:
    form = parse(LogOutForm, form_of(request))
    session = session_of(request) or ""
    brand_ref, reseller_log_in = tokens.brand_of(session), None
    if brand_ref is not None:
        if not service.is_form_token(session, form.token):
            return views.error_page(request, await find_branding(resources, request, brand_ref), InvalidLogOutToken())
        async with resources.database.transaction(brand_ref) as tx:
            if is_operator_session(session):
                return redirect(await log_in_as.end(tx, session), no_session_cookie(request))
            reseller_log_in = await service.log_out(tx, brand_ref, session, request.context.request_id)
    return redirect(reseller_log_in or log_in_path(brand_ref), no_session_cookie(request))


def _redirect_logged_in(request: Request, logged_in: LoggedIn, options: LogIn) -> Response:
    request.context.brand_ref, request.context.caller = logged_in.brand_ref, f"user:{logged_in.user_ref}"
    if logged_in.session is None:
        return redirect(logged_in.location)
    return redirect(logged_in.location, session_cookie(request, logged_in.session, options.lifetime))


def _options(request: Request, resources: Resources, target: Target | None) -> LogIn:
    return LogIn(
        target=target,
        lifetime=timedelta(hours=resources.settings.session_hours),
        request_id=request.context.request_id,
        user_agent=request.headers.get("user-agent", ""),
    )


def _target(request: Request, r: str | None) -> Target | None:
    return read_target(r, request.origin) if r else None


def _log_in_form(request: Request, values: dict[str, Any]) -> LogInForm:
    """Parse the form; impossible names and passwords are treated like wrong ones."""
    try:
        return parse(LogInForm, values)
    except Invalid:
        address, request_id = request.origin.address, request.context.request_id
        log_failure(kind="login", reason="malformed", address=address, request_id=request_id)
        raise WrongCredentials from None


INVALID_FORM = {400: "A page: the form or the query is invalid.", 415: "A page: the body is not a form."}
PUBLIC = (
    PublicRoute(
        path="/login",
        operation_id="showLogIn",
        summary="Log an account holder in with a hash, or ask for user name and password.",
        description="With `hash`: uses it (HEAD does not), starts a session and redirects to `r`; else, for a site"
        " without a template, to the picker; else to the brand's editor; else to the site's page or to `/account`."
        " Without: a page with a form.",
        query=LogInQuery,
        responses={
            200: "The log-in form.",
            303: "Logged in; the session is a cookie.",
            400: "A page: the hash was used, has expired or is unknown, or `r` is not allowed.",
            403: "A page: the account is suspended.",
            **UNAVAILABLE,
        },
        media_type=HTML,
        tag="login",
    ),
    PublicRoute(
        method="POST",
        path="/login",
        operation_id="logIn",
        summary="Log an account holder in with user name and password.",
        description="Sent by the log-in form. Cross-site requests are rejected.",
        form=LogInForm,
        responses={
            303: "Logged in; the session is a cookie.",
            400: "A page: the form is invalid, or `r` is not allowed.",
            401: "The page again: user name or password is wrong.",
            403: "A page: the account is suspended, or the form came from another site.",
            409: "The page again: both match accounts of several brands.",
            415: "A page: the body is not a form.",
            429: "The page again: too many wrong attempts.",
            503: "A page: too many log-ins at once, or the database is temporarily unavailable.",
        },
        media_type=HTML,
        tag="login",
        errors=(TooLarge,),
    ),
    PublicRoute(
        method="POST",
        path="/logout",
        operation_id="logOut",
        summary="End the session.",
        description="Sent by the log-out button of the account page. An operator who is logged in as the account holder"
        " returns to the console.",
        form=LogOutForm,
        responses={
            303: "Logged out.",
            403: "A page: the form token does not belong to the session.",
            **INVALID_FORM,
            **UNAVAILABLE,
        },
        media_type=HTML,
        tag="login",
        errors=(TooLarge,),
    ),
)
PAGES = [
    Page(route, function, problem_page) for route, function in zip(PUBLIC, (show_log_in, log_in, log_out), strict=True)
]
