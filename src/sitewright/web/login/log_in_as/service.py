"""Operators of the console who are logged in as an account holder of the brand ("log in as").

Such a session is valid while the same browser has the session of the console that began it, and the operator's role
still allows it. What it may not do: see `account.own_account.profile_service`.
"""

from datetime import datetime

import msgspec

from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserDeleted, UserSuspended
from sitewright.kit import clock, tokens
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.auth.rights import ROLES_WITH, Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Request
from sitewright.kit.http.session_cookie import CONSOLE_COOKIE, session_of
from sitewright.kit.resources import Resources
from sitewright.kit.tokens import operator_sessions
from sitewright.kit.ui.banner import Banner
from sitewright.tenants.brands import service as brands
from sitewright.tenants.credentials.console_sessions import service as console_sessions
from sitewright.tenants.credentials.console_sessions.service import SessionOperator
from sitewright.web.login import store
from sitewright.web.login.form_tokens import form_token
from sitewright.web.login.store import SessionUser

CONSOLE = "/console"


class OperatorLogIn(msgspec.Struct, frozen=True, kw_only=True):
    """An operator and the account holder that the operator is logged in as."""

    operator: SessionOperator
    user: SessionUser
    until: datetime


async def begin(
    tx: Transaction, caller: Caller, operator: SessionOperator, user_ref: int, previous: str, user_agent: str
) -> str:
    """Log an operator in as a user of the transaction's brand, and return the session's secret.

    `previous`: the session of account holders in the same browser, which this one replaces.
    """
    user = await users.find_user(tx, caller, user_ref, deleted=True, lock=True)
    if user.anonymized:
        raise Anonymized
    if user.deleted:
        raise UserDeleted
    if user.suspended:
        raise UserSuspended
    if operator_sessions.is_operator_session(previous):
        await operator_sessions.end(tx, previous, "replaced")
    return await operator_sessions.begin(
        tx, caller, user.brand_ref, user.ref, operator.ref, operator.session_ref, user_agent
    )


async def find_operator(request: Request, resources: Resources, session: str) -> SessionOperator | None:
    """The operator of the browser's session of the console, if `session` needs one."""
    secret = CONSOLE_COOKIE.read(request)
    if not secret or not operator_sessions.is_operator_session(session):
        return None
    async with resources.database.transaction(console_sessions.brand_of(secret)) as tx:
        return await console_sessions.find_operator(tx, secret)


async def find_log_in(tx: Transaction, session: str, operator: SessionOperator | None) -> OperatorLogIn | None:
    """None when it has ended; the first request that finds it so ends it for good. `operator` is of `find_operator`."""
    found = await operator_sessions.find(tx, session)
    if found is None:
        return None
    user = await store.find_active_user(tx, found.user_ref)
    if found.expires_at <= clock.now():
        reason = "expired"
    elif operator is None or operator.session_ref != found.console_session_ref:
        reason = "console session ended"
    elif Role(operator.role) not in ROLES_WITH[Right.SUPPORT]:
        reason = "role lost"
    elif user is None:
        reason = "account suspended or deleted"
    else:
        return OperatorLogIn(operator=operator, user=user, until=found.expires_at)
    await operator_sessions.end(tx, session, reason)
    return None


async def find_banner(request: Request, resources: Resources) -> Banner | None:
    """For pages that need no log-in, but that account holders read."""
    session = session_of(request) or ""
    brand_ref = tokens.brand_of(session)
    if brand_ref is None or not operator_sessions.is_operator_session(session):
        return None
    operator = await find_operator(request, resources, session)
    async with resources.database.transaction(brand_ref) as tx:
        found = await find_log_in(tx, session, operator)
        return None if found is None else banner_of(found, (await brands.settings_of_brand(tx)).name, session)


def banner_of(found: OperatorLogIn, brand_name: str, session: str) -> Banner:
    user, operator = found.user, found.operator
    return Banner(
        name=f"{user.first_name} {user.last_name}",
        brand=brand_name,
        operator=operator.name or operator.username,
        ends_at=found.until,
        token=form_token(session),
    )


async def end_with_console(request: Request, resources: Resources) -> None:
    """End it when the operator logs out of the console, without which it is not valid."""
    session = session_of(request) or ""
    brand_ref = tokens.brand_of(session)
    if brand_ref is not None and operator_sessions.is_operator_session(session):
        async with resources.database.transaction(brand_ref) as tx:
            await operator_sessions.end(tx, session, "console session ended")


async def end(tx: Transaction, session: str) -> str:
    """End it at the operator's wish; returns the page of the console to go on with."""
    user_ref = await operator_sessions.end(tx, session, "ended")
    return CONSOLE if user_ref is None else f"{CONSOLE}/customers/{user_ref}"
