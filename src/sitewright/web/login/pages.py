"""`/login` and `/logout`: how account holders come and go."""

from datetime import timedelta
from typing import Any

from sitewright.kit import tokens
from sitewright.kit.auth.attempts import log_failure
from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.page import AWAY, HTML, Page, came_from_here, form_of, redirect
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.session_cookie import no_session_cookie, session_cookie, session_of
from sitewright.kit.problems import Invalid, TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse, parse_query, parse_ref
from sitewright.web.login import passwords, service, views
from sitewright.web.login.destinations import LOG_IN, Target, check_target, read_target
from sitewright.web.login.errors import (
    CameFromElsewhere,
    HashNotUsable,
    LogOutNotAsked,
    Refused,
    TooManyAttempts,
    WrongCredentials,
)
from sitewright.web.login.looks import Look, find_look
from sitewright.web.login.schemas import LogInForm, LogInQuery, LogOutForm
from sitewright.web.login.service import LoggedIn, LogIn


async def show_log_in(incoming: Incoming, resources: Resources) -> Answered:
    query = parse_query(incoming.query)
    secret, r = query.get("hash"), query.get("r")
    brand_ref = parse_ref(query.get("brandRef", "")) if secret is None else tokens.brand_of(secret)
    look = await find_look(resources, incoming, brand_ref)
    try:
        if secret is not None:
            return await _log_in_by_hash(incoming, resources, look, secret, r)
        target = _target(incoming, r)
        if target is not None and look.brand is not None:
            check_target(target, look.brand)
    except Refused as refused:
        return views.refused_page(incoming, look, refused)
    return views.log_in_page(look, r=r)


async def _log_in_by_hash(incoming: Incoming, resources: Resources, look: Look, secret: str, r: str | None) -> Answered:
    brand = look.brand
    if brand is None or brand.brand_ref != tokens.brand_of(secret):
        raise HashNotUsable
    wanted = _wanted(incoming, resources, _target(incoming, r))
    only_ask = incoming.trace.method == "HEAD"  # mail scanners and link previews ask so
    async with resources.database.transaction(brand.brand_ref) as tx:
        logged_in = await service.log_in_by_hash(tx, brand, secret, wanted, only_ask=only_ask)
    return _lead_on(incoming, logged_in, wanted)


async def log_in(incoming: Incoming, resources: Resources) -> Answered:
    try:
        is_trusted = await passwords.check_address(resources, incoming.origin.address)
    except TooManyAttempts as refused:
        return views.refused_page(incoming, await find_look(resources, incoming, None), refused)
    values = form_of(incoming)
    look = await find_look(resources, incoming, parse_ref(values.get("brandRef", "")))
    try:
        if not came_from_here(incoming):
            raise CameFromElsewhere
        form = _log_in_form(incoming, values)
        wanted = _wanted(incoming, resources, _target(incoming, form.r))
        attempt = passwords.Attempt(
            username=form.username,
            password=form.password,
            brand_ref=look.brand.brand_ref if look.brand else None,
            address=incoming.origin.address,
            is_trusted=is_trusted,
            request_id=incoming.trace.request_id,
        )
        logged_in = await passwords.log_in_by_password(resources, attempt, wanted)
    except Refused as refused:
        return views.refused_page(incoming, look, refused, r=values.get("r"), username=values.get("username", "")[:255])
    return _lead_on(incoming, logged_in, wanted)


async def log_out(incoming: Incoming, resources: Resources) -> Answered:
    form = parse(LogOutForm, form_of(incoming))
    session = session_of(incoming) or ""
    brand_ref, elsewhere = tokens.brand_of(session), None
    if brand_ref is not None:
        if not service.is_form_token(session, form.token):
            return views.refused_page(incoming, await find_look(resources, incoming, brand_ref), LogOutNotAsked())
        async with resources.database.transaction(brand_ref) as tx:
            elsewhere = await service.log_out(tx, brand_ref, session, incoming.trace.request_id)
    return redirect(elsewhere or LOG_IN, no_session_cookie(incoming))


def _lead_on(incoming: Incoming, logged_in: LoggedIn, wanted: LogIn) -> Answered:
    incoming.trace.brand_ref, incoming.trace.caller = logged_in.brand_ref, f"user:{logged_in.user_ref}"
    if logged_in.session is None:
        return redirect(logged_in.location)
    return redirect(logged_in.location, session_cookie(incoming, logged_in.session, wanted.lifetime))


def _wanted(incoming: Incoming, resources: Resources, target: Target | None) -> LogIn:
    lifetime = timedelta(hours=resources.settings.session_hours)
    return LogIn(target=target, lifetime=lifetime, request_id=incoming.trace.request_id)


def _target(incoming: Incoming, r: str | None) -> Target | None:
    return read_target(r, incoming.origin) if r else None


def _log_in_form(incoming: Incoming, values: dict[str, Any]) -> LogInForm:
    """What nobody's name or password can be, is wrong like any other."""
    try:
        return parse(LogInForm, values)
    except Invalid:
        address, request_id = incoming.origin.address, incoming.trace.request_id
        log_failure(kind="login", reason="malformed", address=address, request_id=request_id)
        raise WrongCredentials from None


SENT_WRONGLY = {400: "A page: the form or the query makes no sense.", 415: "A page: this is no form."}
PUBLIC = (
    PublicRoute(
        path="/login",
        operation_id="showLogIn",
        summary="Log an account holder in with a hash, or ask for user name and password.",
        description="With `hash`: uses it up (HEAD does not), begins a session and leads on to `r`; else, for a site"
        " without a template, to the picker; else to the brand's editor; else to the site's page or to `/account`."
        " Without: a page with a form.",
        query=LogInQuery,
        answers={
            200: "The page that asks.",
            303: "Logged in; the session is a cookie.",
            400: "A page: the hash was used, has expired or is unknown, or `r` may not be named.",
            403: "A page: the account is suspended.",
            **AWAY,
        },
        media_type=HTML,
        tag="login",
    ),
    PublicRoute(
        method="POST",
        path="/login",
        operation_id="logIn",
        summary="Log an account holder in with user name and password.",
        description="What the form of the page sends. Forms of other sites' pages are refused.",
        form=LogInForm,
        answers={
            303: "Logged in; the session is a cookie.",
            400: "A page: the form makes no sense, or `r` may not be named.",
            401: "The page again: user name or password is wrong.",
            403: "A page: the account is suspended, or the form came from another site.",
            409: "The page again: both fit accounts of several brands.",
            415: "A page: this is no form.",
            429: "The page again: too many wrong attempts.",
            503: "A page: more people log in at once than can be served, or the database is away for the moment.",
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
        description="What the log-out button of the account page sends.",
        form=LogOutForm,
        answers={
            303: "Logged out.",
            403: "A page: the button was not one of this session's pages.",
            **SENT_WRONGLY,
            **AWAY,
        },
        media_type=HTML,
        tag="login",
        errors=(TooLarge,),
    ),
)
PAGES = [
    Page(route, function, problem_page) for route, function in zip(PUBLIC, (show_log_in, log_in, log_out), strict=True)
]
