"""Render the pages of a forgotten password as HTML."""

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.page import SAME_ORIGIN_REFERRER
from sitewright.kit.http.responses import Response
from sitewright.web.login.branding import Branding
from sitewright.web.login.links import FORGOTTEN_PASSWORD
from sitewright.web.login.views import TEMPLATES, log_in_address


def forgotten_page(
    branding: Branding, name: str = "", *, status: int = 200, retry_after: int | None = None
) -> Response:
    """`status` 400 and 429 show the error at the field, with what was typed."""
    messages = branding.messages
    error = messages("forgotten_empty") if status == 400 else None
    if retry_after is not None:
        error = messages("forgotten_too_many", wait=messages.wait(retry_after))
    return TEMPLATES.page(
        "forgotten_password.html",
        status,
        form_action="'self'",
        headers=SAME_ORIGIN_REFERRER | ({} if retry_after is None else {"retry-after": str(retry_after)}),
        brand=branding.brand,
        messages=messages,
        name=name,
        error=error,
        log_in_address=log_in_address(branding),
    )


def sent_page(branding: Branding) -> Response:
    return _message(200, branding, "forgotten_sent", "mail", (log_in_address(branding), branding.messages("to_log_in")))


def reset_page(branding: Branding, secret: str, *, status: int = 200) -> Response:
    messages, length = branding.messages, {"least": MIN_PASSWORD_LENGTH, "most": MAX_PASSWORD_LENGTH}
    return TEMPLATES.page(
        "reset_password.html",
        status,
        form_action="'self'",
        headers=SAME_ORIGIN_REFERRER,
        brand=branding.brand,
        messages=messages,
        secret=secret,
        hint=messages("password_rule", **length),
        error=messages("password_length", **length) if status == 400 else None,
    )


def reset_done_page(branding: Branding) -> Response:
    return _message(200, branding, "reset_done", "check", (log_in_address(branding), branding.messages("to_log_in")))


def link_expired_page(branding: Branding) -> Response:
    brand = branding.brand
    address = FORGOTTEN_PASSWORD + (f"?brandRef={brand.brand_ref}" if brand else "")
    return _message(400, branding, "reset_expired", "clock", (address, branding.messages("forgotten_again")))


def cross_site_page(branding: Branding) -> Response:
    return _message(
        403, branding, "came_from_elsewhere", "lock", (log_in_address(branding), branding.messages("to_log_in"))
    )


def _message(status: int, branding: Branding, text: str, sign: str, link: tuple[str, str]) -> Response:
    messages = branding.messages
    return TEMPLATES.message(
        status,
        messages,
        messages(f"{text}_title"),
        messages(text),
        brand=branding.brand,
        headers={},
        sign=sign,
        link=link,
    )
