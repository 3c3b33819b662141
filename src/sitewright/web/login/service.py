"""Log-in and log-out of account holders. Lock order: the user before its hashes and sessions."""

from datetime import timedelta

import msgspec

from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserSuspended
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
from sitewright.web.login.branding import find_branding
from sitewright.web.login.destinations import (
    ACCOUNT,
    LOG_IN,
    Target,
    destination,
    editor_of,
    expand_site_ref,
    log_in_path,
)
from sitewright.web.login.errors import AccountSuspended, InvalidHash
from sitewright.web.login.form_tokens import form_token, is_form_token
from sitewright.web.login.links import VERIFY_EMAIL, reset_link, verification_link
from sitewright.web.login.store import SessionUser

__all__ = [
    "ACCOUNT",
    "LOG_IN",
    "VERIFY_EMAIL",
    "LogIn",
    "LoggedIn",
    "SessionUser",
    "begin_session",
    "brand_for",
    "editor_of",
    "expand_site_ref",
    "find_branding",
    "find_session_user",
    "form_token",
    "is_form_token",
    "issue_hash",
    "log_in_by_hash",
    "log_in_path",
    "log_in_url",
    "log_out",
    "reset_link",
    "verification_link",
]


class LogIn(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a log-in, without the credentials."""

    target: Target | None
    lifetime: timedelta
    request_id: str
    user_agent: str = ""


class LoggedIn(msgspec.Struct, frozen=True, kw_only=True):
    brand_ref: int
    user_ref: int
    location: str
    session: str | None
    """The session's secret; None for a dry run."""


async def issue_hash(tx: Transaction, caller: Caller, user: User, site_ref: int | None) -> str:
    """Issue a one-time log-in token."""
    chosen = await sites.site_to_log_in_to(tx, user.ref, site_ref)
    if user.anonymized:
        raise Anonymized
    if user.suspended:
        raise UserSuspended
    await audit.record_by(tx, caller, "auto-login", "user", user.ref, siteRef=chosen)
    return await tokens.issue(tx, LOGIN_TOKEN, user.brand_ref, user.ref, chosen)


def log_in_url(settings: Settings, origin: Origin, secret: str) -> str:
    """Return the log-in URL on the service itself, since a site's host may not be in the DNS yet."""
    return f"{service_url(settings, origin)}{LOG_IN}?hash={secret}"


async def log_in_by_hash(
    tx: Transaction, brand: BrandSettings, secret: str, options: LogIn, *, dry_run: bool
) -> LoggedIn:
    """Log in; `dry_run` returns the redirect without using the hash."""
    row = await tokens.find(tx, LOGIN_TOKEN, secret)
    holder = None if row is None else await users.lock_holder(tx, row.user_ref)
    if row is None or holder is None:
        raise InvalidHash
    branded = await brand_for(tx, brand, holder)
    if holder.is_deleted or not row.is_usable:
        raise InvalidHash(language=holder.language_code, brand=branded)
    if holder.is_suspended:
        raise AccountSuspended(language=holder.language_code, brand=branded)
    site = await sites.site_of_log_in(tx, row.user_ref, row.site_ref)
    location = destination(options.target, brand, site)
    session = None
    if not dry_run:
        if await tokens.claim(tx, LOGIN_TOKEN, secret) is None:
            raise InvalidHash(language=holder.language_code, brand=branded)
        session = await begin_session(tx, brand.brand_ref, holder, options, by="hash")
    return LoggedIn(brand_ref=brand.brand_ref, user_ref=holder.user_ref, location=location, session=session)


async def begin_session(tx: Transaction, brand_ref: int, holder: Holder, options: LogIn, *, by: str) -> str:
    """Start a session and return its secret. `holder` is locked, so a concurrent revocation also ends this session."""
    now = clock.now()
    await users.record_log_in(tx, holder.user_ref, now)
    secret = await tokens.begin_session(tx, brand_ref, holder.user_ref, now, options.lifetime, options.user_agent)
    await _record(tx, "log-in", brand_ref, holder.user_ref, options.request_id, by=by)
    return secret


async def find_session_user(tx: Transaction, session: str) -> SessionUser | None:
    """Find the user of a session; None when the session has ended, or the user is suspended or deleted."""
    return await store.find_session_user(tx, tokens.digest_of(session), clock.now())


async def brand_for(tx: Transaction, brand: BrandSettings, holder: Holder) -> BrandSettings:
    """Return the brand with the reseller's branding, where the account holder has a reseller."""
    return resellers.with_branding(brand, await resellers.find_branding(tx, holder.reseller_ref))


async def log_out(tx: Transaction, brand_ref: int, session: str, request_id: str) -> str | None:
    """End the session, and return the log-in URL of the account holder's reseller, if it has one."""
    user_ref = await tokens.end_session(tx, session)
    if user_ref is None:
        return None
    await _record(tx, "log-out", brand_ref, user_ref, request_id)
    branding = await resellers.find_branding(tx, await store.reseller_of(tx, user_ref))
    return check_link(branding.login_url) if branding is not None and branding.login_url else None


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
