"""Render the log-in pages as HTML."""

from pathlib import Path

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import ANYWHERE, SAME_ORIGIN_REFERRER, Templates
from sitewright.kit.http.responses import Response
from sitewright.web.login.branding import Branding, branding_for
from sitewright.web.login.destinations import ACCOUNT, log_in_path
from sitewright.web.login.errors import (
    AccountSuspended,
    InvalidLogOutToken,
    LogInError,
    RetryableLogInError,
    TooManyAttempts,
)

TEMPLATES = Templates(Path(__file__).parent / "templates")


def log_in_page(
    branding: Branding,
    *,
    r: str | None,
    username: str = "",
    alert: str | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    return TEMPLATES.page(
        "log_in.html",
        status,
        form_action=ANYWHERE,
        headers=SAME_ORIGIN_REFERRER | (headers or {}),
        brand=branding.brand,
        messages=branding.messages,
        r=r,
        username=username,
        alert=alert,
        max_password_length=MAX_PASSWORD_LENGTH,
    )


def error_page(
    request: Request, branding: Branding, error: LogInError, *, r: str | None = None, username: str = ""
) -> Response:
    """Show the error on the log-in form, or on a page of its own."""
    if error.language is not None:
        branding = branding_for(request, error.brand or branding.brand, error.language)
    messages, name = branding.messages, branding.brand.name if branding.brand else ""
    if isinstance(error, RetryableLogInError):
        wait = messages.wait(error.seconds) if isinstance(error, TooManyAttempts) else ""
        alert = messages(error.text, wait=wait)
        return log_in_page(branding, r=r, username=username, alert=alert, status=error.status, headers=error.headers)
    return TEMPLATES.message(
        error.status,
        messages,
        messages(f"{error.text}_title"),
        messages(error.text, brand=name),
        brand=branding.brand,
        headers=error.headers,
        sign="lock",
        link=_link_of(error, branding),
    )


def _link_of(error: LogInError, branding: Branding) -> tuple[str, str] | None:
    """Where to go from the error's page. A suspended account can only ask its provider."""
    if isinstance(error, AccountSuspended):
        return None
    if isinstance(error, InvalidLogOutToken):
        return ACCOUNT, branding.messages("to_account")
    return log_in_address(branding), branding.messages("try_log_in")


def verification_page(branding: Branding, purpose: str, hidden: dict[str, str]) -> Response:
    """`purpose` is what the address is confirmed for; `hidden` are the parameters of the link."""
    return TEMPLATES.page(
        "verify_email.html",
        form_action="'self'",
        headers={},
        brand=branding.brand,
        messages=branding.messages,
        hint=branding.messages(f"verify_{purpose}", email=hidden.get("email", "")),
        hidden=hidden,
    )


def verified_page(branding: Branding, purpose: str, *, is_verified: bool) -> Response:
    text = f"verified_{purpose}" if is_verified else f"link_not_usable_{purpose}"
    return TEMPLATES.message(
        200 if is_verified else 400,
        branding.messages,
        branding.messages("verified_title" if is_verified else "link_not_usable_title"),
        branding.messages(text),
        brand=branding.brand,
        headers={},
        sign="check" if is_verified else "mail",
        link=(ACCOUNT, branding.messages("to_account")),
    )


def log_in_address(branding: Branding) -> str:
    return log_in_path(None if branding.brand is None else branding.brand.brand_ref)
