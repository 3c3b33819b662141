"""Begin sessions of operators: after the password, and after the one-time code where there is one."""

from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.auth.store import OperatorRow
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.console_sessions.service import SessionOperator
from sitewright.tenants.credentials.operators import service as operators
from sitewright.tenants.credentials.second_factor import service as second_factor
from sitewright.tenants.credentials.second_factor.service import Outcome
from sitewright.web.console.log_in.errors import WrongCredentials


async def begin_by_password(tx: Transaction, verified: OperatorRow, user_agent: str, request_id: str) -> str:
    """Begin a session of an operator whose password was verified; it may still await the one-time code."""
    assert verified.operator_ref is not None  # noqa: S101 - only verified operators come here
    if await operators.lock_password_hash(tx, verified.operator_ref) != verified.password_hash:
        raise WrongCredentials  # removed, or the password changed, since it was verified
    awaits_code = bool(verified.has_second_factor)
    secret = await sessions.begin(tx, verified.brand_ref, verified.operator_ref, user_agent, awaits_code=awaits_code)
    if not awaits_code:
        await record(tx, verified.operator_ref, verified.brand_ref, "log-in", request_id, by="password")
    return secret


async def begin_by_code(
    tx: Transaction, sealer: Sealer, operator: SessionOperator, secret: str, code: str, user_agent: str, request_id: str
) -> str | Outcome:
    """Replace the session that awaits the code by one that does not, if the code is right."""
    caller = Caller(
        role=Role(operator.role), name=f"operator:{operator.ref}", brand_ref=operator.brand_ref, request_id=request_id
    )
    outcome = await second_factor.use_code(tx, sealer, caller, operator.ref, code)
    if outcome is not Outcome.RIGHT:
        return outcome
    await sessions.end(tx, secret)
    await record(tx, operator.ref, operator.brand_ref, "log-in", request_id, by="code")
    return await sessions.begin(tx, operator.brand_ref, operator.ref, user_agent)


async def log_out(tx: Transaction, secret: str, request_id: str) -> None:
    operator_ref = await sessions.end(tx, secret)
    if operator_ref is not None:
        await record(tx, operator_ref, sessions.brand_of(secret), "log-out", request_id)


async def record(
    tx: Transaction, operator_ref: int, brand_ref: int | None, action: str, request_id: str, **details: str
) -> None:
    await audit.record(
        tx,
        actor=f"operator:{operator_ref}",
        action=action,
        subject="operator",
        ref=operator_ref,
        brand_ref=brand_ref,
        request_id=request_id,
        **details,
    )
