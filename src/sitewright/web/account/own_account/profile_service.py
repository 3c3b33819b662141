"""What account holders can see and do on their profile page, through the services of the features."""

from datetime import datetime, timedelta

import msgspec

from sitewright.accounts.mailed_links import service as mailed_links
from sitewright.accounts.reports.data_exports import service as data_exports
from sitewright.accounts.reports.data_exports.service import DataCopy
from sitewright.accounts.users import service as users
from sitewright.accounts.users.deletion_requests import service as deletion_requests
from sitewright.accounts.users.schemas import AccountHolderDetails
from sitewright.accounts.users.service import UserChanges
from sitewright.kit import tokens
from sitewright.kit.auth import store as auth_store
from sitewright.kit.auth.login_queue import LogInQueueFull
from sitewright.kit.auth.rate_limits import RateLimited, log_failure
from sitewright.kit.contact_fields import ContactField, check_contact
from sitewright.kit.http.shown_values import shown_values
from sitewright.kit.problems import Invalid, Stale, TooManyRequests
from sitewright.kit.text import key_of
from sitewright.kit.tokens import Session
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.schemas import Language
from sitewright.web.account.errors import OnlyAccountHolder
from sitewright.web.account.own_account.schemas import EmailForm, PasswordForm, ProfileForm
from sitewright.web.account.page_request import PageRequest
from sitewright.web.login import service as login
from sitewright.web.login.service import LogIn

ADDRESS_LINES = ("address1", "address2", "city", "state", "country")
CONTACT_FIELDS = {
    "phoneNumber": ContactField.PHONE,
    "postcode": ContactField.POSTAL_CODE,
    **dict.fromkeys(ADDRESS_LINES, ContactField.ADDRESS_LINE),
}
_FORM_NAMES = {each.name: each.encode_name for each in msgspec.structs.fields(ProfileForm)}


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """An account holder as the profile page shows them."""

    user: AccountHolderDetails
    languages: list[Language]
    sessions: list[Session]
    data_copy: DataCopy | None
    offers_deletion: bool
    deletion_requested_at: datetime | None


class VerifiedPassword(msgspec.Struct, frozen=True):
    """The hash that the current password was verified with, and that of the new one."""

    current_hash: str
    new_hash: str


def require_account_holder(request: PageRequest) -> None:
    """Refuse operators who are logged in as the account holder what concerns only the person: password, e-mail address,
    sessions, the copy of all data, which lists the sessions, and deletion."""
    if request.operator_ref is not None:
        raise OnlyAccountHolder


async def read_profile(request: PageRequest) -> Profile:
    tx, user_ref = request.tx, request.holder.user_ref
    return Profile(
        user=await users.get_user(tx, request.caller, user_ref, show_deleted=False),
        languages=await brands.list_languages(tx, request.brand.brand_ref),
        sessions=[] if request.operator_ref else await tokens.list_sessions(tx, user_ref, request.session),
        data_copy=await data_exports.find_copy(tx, user_ref),
        offers_deletion=deletion_requests.is_offered(request.brand),
        deletion_requested_at=await deletion_requests.requested_at(tx, user_ref),
    )


async def save_details(request: PageRequest, form: ProfileForm) -> None:
    """Check and write only fields that differ from what the form showed and from what is stored: others may have
    changed it since, and what the API stored stays valid. An empty telephone number is none."""
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref, lock=True)
    present = await users.get_user(request.tx, request.caller, user.ref, show_deleted=False)
    typed = {name: value for name, value in msgspec.structs.asdict(form).items() if name not in ("token", "shown")}
    stored = {_FORM_NAMES[name]: getattr(present, name) or "" for name in typed}
    known = {name: (stored[name], value) for name, value in shown_values(stored, form.shown).items()}
    changed = {name: value for name, value in typed.items() if value not in known[_FORM_NAMES[name]]}
    if "phone_number" in changed:
        changed["phone_number"] = form.phone_number or None
    errors = check_contact(CONTACT_FIELDS, {_FORM_NAMES[name]: value for name, value in changed.items()})
    if "language_code" in changed and brands.match_language(request.brand.language_codes, form.language_code) is None:
        errors["languageCode"] = {"invalidLanguageCode": "is not one of the brand's languages"}
    if errors:
        raise Invalid.fields(errors)
    if changed:
        await users.edit_user(request.tx, request.resources.sealer, request.caller, user, UserChanges(**changed), None)


async def change_email(request: PageRequest, form: EmailForm, url: str) -> None:
    require_account_holder(request)
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref, lock=True)
    sealer = request.resources.sealer
    await mailed_links.request_email_change(request.tx, sealer, request.caller, user, form.email.strip(), url)


async def send_verification(request: PageRequest, url: str) -> None:
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref, lock=True)
    await mailed_links.send_verification_email(request.tx, request.resources.sealer, request.caller, user, url)


async def current_password_hash(request: PageRequest) -> tuple[str, str | None]:
    """The user name, and the hash to verify the current password with."""
    require_account_holder(request)
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref)
    holder = await users.lock_holder(request.tx, user.ref)
    return user.username, None if holder is None else holder.password_hash


async def verify_and_hash(
    request: PageRequest, username: str, current_hash: str | None, form: PasswordForm
) -> VerifiedPassword:
    """Outside of any transaction. Wrong passwords count like failed log-ins."""
    resources, address = request.resources, request.http_request.origin.address
    limiter = resources.login_rate_limiter
    pair = limiter.pair(address, "user", key_of(username))
    try:
        async with limiter.lock(pair), resources.database.lease() as lease:
            with resources.passwords.admit_log_in(pair.address, is_trusted=True):
                reserved, is_right = await limiter.attempt(
                    lease, pair, lambda: resources.passwords.verify(form.current_password, current_hash)
                )
            if is_right and current_hash is not None:
                await auth_store.release_attempt(await lease.connection(), reserved.ref, clears=False)
            else:
                await auth_store.fail_attempt(await lease.connection(), reserved.ref)
    except RateLimited as limited:
        raise TooManyRequests(headers={"Retry-After": str(limited.retry_after)}) from None
    except LogInQueueFull as full:
        raise TooManyRequests(headers={"Retry-After": full.headers["Retry-After"]}) from None
    if not is_right or current_hash is None:
        request_id, caller = request.http_request.context.request_id, request.caller.name
        log_failure(kind="login", reason="wrongPassword", address=address, request_id=request_id, caller=caller)
        raise Invalid.fields({"currentPassword": {"wrongPassword": "is not the present password"}})
    new_hash = await resources.passwords.hash(form.password, request.brand.brand_ref)
    return VerifiedPassword(current_hash, new_hash)


async def set_password(request: PageRequest, verified: VerifiedPassword) -> str:
    """End all sessions, and begin a new one for this device; returns its secret."""
    require_account_holder(request)
    tx, caller = request.tx, request.caller
    user = await users.find_user(tx, caller, request.holder.user_ref, lock=True)
    holder = await users.lock_holder(tx, user.ref)
    if holder is None or holder.password_hash != verified.current_hash:
        raise Stale  # changed since it was verified
    await users.set_password(tx, request.resources.sealer, caller, user, verified.new_hash, action="change password")
    return await login.begin_session(tx, user.brand_ref, holder, session_options(request), by="password change")


def session_options(request: PageRequest) -> LogIn:
    return LogIn(
        target=None,
        lifetime=timedelta(hours=request.resources.settings.session_hours),
        request_id=request.http_request.context.request_id,
        user_agent=request.http_request.headers.get("user-agent", ""),
    )


async def log_out_everywhere(request: PageRequest) -> None:
    require_account_holder(request)
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref, lock=True)
    await users.log_out_everywhere(request.tx, request.caller, user)


async def request_data_copy(request: PageRequest) -> None:
    require_account_holder(request)
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref, lock=True)
    await data_exports.request_copy(request.tx, request.caller, user.brand_ref, user.ref)


async def request_deletion(request: PageRequest) -> None:
    require_account_holder(request)
    user = await users.find_user(request.tx, request.caller, request.holder.user_ref, lock=True)
    await deletion_requests.request_deletion(
        request.tx, request.resources.sealer, request.caller, request.brand, user.ref
    )
