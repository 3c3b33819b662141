from functools import partial
from typing import Any

from sitewright.accounts.mailed_links import service
from sitewright.accounts.mailed_links.errors import TooManyMails
from sitewright.accounts.mailed_links.jobs import Request
from sitewright.accounts.mailed_links.schemas import (
    ForgottenPassword,
    ResetPassword,
    SendVerificationEmail,
    ValidateEmailVerificationToken,
)
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import Anonymized, UserNotFound
from sitewright.kit import tokens
from sitewright.kit.auth.rights import Right
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.call import plain_body
from sitewright.kit.links import check_link
from sitewright.kit.problems import FieldErrors
from sitewright.kit.validation import field_code
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.brands.schemas import BrandSettings


@endpoint(
    "POST",
    "/users/forgotten-password",
    right=Right.SUPPORT,
    status=204,
    body=ForgottenPassword,
    errors=(BrandNotFound,),
)
async def forgotten_password(call: Call) -> None:
    """Mail a link for a new password; the response is the same whether or not there is such a user."""
    brand = await brands.settings_of_brand(call.tx)
    body = await call.checked_body(ForgottenPassword, partial(_check_forgotten, call, brand))
    request = Request(
        brand_ref=brand.brand_ref,
        reseller_ref=call.caller.reseller_ref,
        username=body.username,
        email=body.email,
        login_link=check_link(body.login_link),
        actor=call.caller.name,
        request_id=call.caller.request_id,
    )
    await service.request_password_reset(call.tx, call.resources.sealer, request)


async def hash_new_password(call: Call) -> None:
    body = call.body(ResetPassword)
    if tokens.brand_of(body.hash) != call.brand_ref:
        raise service.invalid_hash()
    call.prepared = await call.resources.passwords.hash(body.password, call.brand_ref)


@endpoint("POST", "/users/reset-password", status=204, body=ResetPassword, prepare=hash_new_password)
async def reset_password(call: Call) -> None:
    """Set a new password with the hash of a mailed link."""
    body = call.body(ResetPassword)
    await service.reset_password(call.tx, call.resources.sealer, call.caller, body.hash, call.prepared)


@endpoint(
    "POST",
    "/users/{user_ref:int}/send-verification-email",
    right=Right.SUPPORT,
    status=204,
    body=SendVerificationEmail,
    errors=(UserNotFound, Anonymized, TooManyMails),
)
async def send_verification_email(call: Call, user_ref: int) -> None:
    """Mail the user a link that verifies the e-mail address."""
    user = await users.find_user(call.tx, call.caller, user_ref, lock=True)
    brand = await brands.settings_of_brand(call.tx)
    body = await call.checked_body(SendVerificationEmail, partial(_check_verification, brand))
    url = check_link(body.verification_url)
    await service.send_verification_email(call.tx, call.resources.sealer, call.caller, user, url)


@endpoint(
    "POST",
    "/users/{user_ref:int}/validate-email-verification-token",
    status=204,
    body=ValidateEmailVerificationToken,
    errors=(UserNotFound,),
)
async def validate_email_verification_token(call: Call, user_ref: int) -> None:
    """Validate the token of a verification mail; the user's `emailVerified` is true from then on."""
    user = await users.find_user(call.tx, call.caller, user_ref, lock=True)
    body = call.body(ValidateEmailVerificationToken)
    await service.verify_email(call.tx, call.caller, user, body.token)


endpoints = [forgotten_password, reset_password, send_verification_email, validate_email_verification_token]


async def _check_forgotten(call: Call, brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    errors = _check_link("loginLink", read.get("login_link"), brand)
    sent = plain_body(call.request)
    if sent.get("username") is None and sent.get("email") is None:
        message = "username or email is required"
        errors |= {"username": {"invalidUsername": message}, "email": {"invalidEmail": message}}
    return errors


async def _check_verification(brand: BrandSettings, read: dict[str, Any]) -> FieldErrors:
    return _check_link("verificationUrl", read.get("verification_url"), brand)


def _check_link(field: str, link: str | None, brand: BrandSettings) -> FieldErrors:
    try:
        if link is not None:
            check_link(link, brand.allowed_link_hosts)
    except ValueError as error:
        return {field: {field_code(field): str(error)}}
    return {}
