"""Logging account holders in and out. The user is locked before its hash and its sessions, as everywhere."""

import hmac
from datetime import timedelta

import msgspec

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymised, UserSuspended
from sitewright.accounts.users.service import Holder, User
from sitewright.accounts.users.tokens import LOGIN_TOKEN
from sitewright.kit import audit, clock, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.links import check_link
from sitewright.kit.origin import Origin, service_url
from sitewright.settings import Settings
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login import sites, store
from sitewright.web.login.destinations import ACCOUNT, LOG_IN, Target, destination, editor_of, filled_in
from sitewright.web.login.errors import AccountSuspended, HashNotUsable
from sitewright.web.login.store import Visitor

__all__ = [
    "ACCOUNT",
    "LOG_IN",
    "LogIn",
    "LoggedIn",
    "Visitor",
    "begin_session",
    "brand_seen_by",
    "editor_of",
    "filled_in",
    "find_visitor",
    "form_token",
    "is_form_token",
    "issue_hash",
    "log_in_by_hash",
    "log_in_url",
    "log_out",
]


class LogIn(msgspec.Struct, frozen=True, kw_only=True):
    """How somebody asks to be logged in, apart from what shows who it is."""

    target: Target | None
    lifetime: timedelta
    request_id: str


class LoggedIn(msgspec.Struct, frozen=True, kw_only=True):
    brand_ref: int
    user_ref: int
    location: str
    session: str | None
    """The session's secret; None where only the way was asked for."""


async def issue_hash(tx: Transaction, caller: Caller, user: User, site_ref: int | None) -> str:
    """A secret that logs the user in, once."""
    chosen = await sites.site_to_log_in_to(tx, user.ref, site_ref)
    if user.anonymised:
        raise Anonymised
    if user.suspended:
        raise UserSuspended
    await audit.record_by(tx, caller, "auto-login", "user", user.ref, siteRef=chosen)
    return await tokens.issue(tx, LOGIN_TOKEN, user.brand_ref, user.ref, chosen)


def log_in_url(settings: Settings, origin: Origin, secret: str) -> str:
    """Where a browser uses the secret: on the service itself, since a site's host may not be in the DNS yet."""
    return f"{service_url(settings, origin)}{LOG_IN}?hash={secret}"


async def log_in_by_hash(
    tx: Transaction, brand: BrandSettings, secret: str, wanted: LogIn, *, only_ask: bool
) -> LoggedIn:
    """`only_ask`: tell where it would lead, and use nothing up."""
    row = await tokens.find(tx, LOGIN_TOKEN, secret)
    holder = None if row is None else await users.lock_holder(tx, row.user_ref)
    if row is None or holder is None:
        raise HashNotUsable
    seen = await brand_seen_by(tx, brand, holder)
    if holder.is_gone or not row.is_usable:
        raise HashNotUsable(language=holder.language_code, brand=seen)
    if holder.is_suspended:
        raise AccountSuspended(language=holder.language_code, brand=seen)
    site = await sites.site_of_log_in(tx, row.user_ref, row.site_ref)
    location = destination(wanted.target, brand, site)
    session = None
    if not only_ask:
        if await tokens.claim(tx, LOGIN_TOKEN, secret) is None:
            raise HashNotUsable(language=holder.language_code, brand=seen)
        session = await begin_session(tx, brand.brand_ref, holder, wanted, by="hash")
    return LoggedIn(brand_ref=brand.brand_ref, user_ref=holder.user_ref, location=location, session=session)


async def begin_session(tx: Transaction, brand_ref: int, holder: Holder, wanted: LogIn, *, by: str) -> str:
    """The new session's secret. `holder` is locked: whoever ends the user's sessions meanwhile ends this one too."""
    now = clock.now()
    await users.note_log_in(tx, holder.user_ref, now)
    secret = await tokens.begin_session(tx, brand_ref, holder.user_ref, now, wanted.lifetime)
    await _record(tx, "log-in", brand_ref, holder.user_ref, wanted.request_id, by=by)
    return secret


async def find_visitor(tx: Transaction, session: str) -> Visitor | None:
    """Who is logged in; None when the session has ended, or its user may no longer log in."""
    return await store.find_visitor(tx, tokens.digest_of(session), clock.now())


async def brand_seen_by(tx: Transaction, brand: BrandSettings, holder: Holder) -> BrandSettings:
    """Under the reseller's name, where the account holder has one."""
    return resellers.seen_by_users(brand, await resellers.find_look(tx, holder.reseller_ref))


async def log_out(tx: Transaction, brand_ref: int, session: str, request_id: str) -> str | None:
    """Where the account holder's reseller has its users log in, if it says."""
    user_ref = await tokens.end_session(tx, session)
    if user_ref is None:
        return None
    await _record(tx, "log-out", brand_ref, user_ref, request_id)
    look = await resellers.find_look(tx, await store.reseller_of(tx, user_ref))
    return check_link(look.login_url) if look is not None and look.login_url else None


def form_token(session: str) -> str:
    """What only a form on a page of this session can hold."""
    return hmac.digest(session.encode(), b"form", "sha256").hex()


def is_form_token(session: str, sent: str) -> bool:
    return hmac.compare_digest(sent.encode(), form_token(session).encode())


async def _record(tx: Transaction, action: str, brand_ref: int, user_ref: int, request_id: str, **details: str) -> None:
    await audit.record(
        tx,
        actor=f"user:{user_ref}",
        action=action,
        subject="user",
        ref=user_ref,
        brand_ref=brand_ref,
        request_id=request_id,
        **details,
    )
