from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserNotFound, UserSuspended
from sitewright.kit.auth.rights import Right
from sitewright.kit.http import Call, endpoint
from sitewright.web.login import service
from sitewright.web.login.schemas import AutoLogin, LoginHash


@endpoint(
    "POST",
    "/users/{user_ref:int}/auto-login",
    right=Right.SUPPORT,
    body=AutoLogin,
    errors=(UserNotFound, UserSuspended, Anonymized),
)
async def auto_login(call: Call, user_ref: int) -> LoginHash:
    """Create a hash that logs the user in, once and within an hour.

    Send the user to `flowUrl`, which is `/login?hash=<hash>`, and with `&r=<address>` to a page of yours afterwards.
    """
    user = await users.find_user(call.tx, call.caller, user_ref)
    wanted = call.body(AutoLogin)
    secret = await service.issue_hash(call.tx, call.caller, user, wanted.site_ref)
    return LoginHash(secret, service.log_in_url(call.resources.settings, call.request.origin, secret))


endpoints = [auto_login]
