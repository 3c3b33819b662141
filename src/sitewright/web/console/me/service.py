"""Change the own password: verified and hashed outside of any transaction, with the rate limits of the log-in."""

from sitewright.kit.problems import Invalid, Stale, TooManyRequests, Unavailable
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.console_sessions import service as sessions
from sitewright.tenants.credentials.operators import service as operators
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.log_in import passwords
from sitewright.web.console.log_in.errors import TooBusy, TooManyAttempts, WrongCredentials
from sitewright.web.console.me.schemas import OwnPasswordForm


async def change_password(request: ConsoleRequest, form: OwnPasswordForm) -> str:
    """End all sessions of the operator, and begin a new one here; returns its secret."""
    resources, operator, http_request = request.resources, request.operator, request.http_request
    verified_hash = await _verify(request, form.current_password)
    new_hash = await resources.passwords.hash(form.password, operator.brand_ref)
    async with resources.database.transaction(operator.brand_ref) as tx:
        if await operators.lock_password_hash(tx, operator.ref) != verified_hash:
            raise Stale  # changed since it was verified
        await credentials.change_operator_password(
            tx, request.caller, brand_ref=operator.brand_ref, ref=operator.ref, password_hash=new_hash
        )
        return await sessions.begin(tx, operator.brand_ref, operator.ref, http_request.headers.get("user-agent", ""))


async def _verify(request: ConsoleRequest, password: str) -> str | None:
    attempt = passwords.Attempt(
        username=request.operator.username,
        password=password,
        address=request.http_request.origin.address,
        request_id=request.http_request.context.request_id,
    )
    try:
        return (await passwords.verify(request.resources, attempt, is_trusted=True)).password_hash
    except WrongCredentials:
        raise Invalid.fields({"currentPassword": {"wrongPassword": "is not the present password"}}) from None
    except TooManyAttempts as error:
        raise TooManyRequests(headers={"Retry-After": str(error.seconds)}) from None
    except TooBusy as error:
        raise Unavailable(retry_after=error.seconds) from None
