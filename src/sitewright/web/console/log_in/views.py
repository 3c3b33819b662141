"""Render the pages of the log-in, which have no operator yet."""

from typing import Any

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.page import SAME_ORIGIN_REFERRER
from sitewright.kit.http.responses import Response
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.console.frame.messages import PASSWORD_LENGTH, TEMPLATES
from sitewright.web.console.frame.navigation import LOG_IN
from sitewright.web.console.log_in.errors import LogInError


def log_in_page(
    messages: Messages,
    brand: BrandSettings | None,
    r: str | None,
    username: str = "",
    error: LogInError | None = None,
) -> Response:
    alert = None if error is None else messages(error.text, wait=messages.wait(error.seconds))
    status, headers = (200, {}) if error is None else (error.status, error.headers)
    return _page("log_in.html", messages, brand, status, headers, r=r, username=username[:255], alert=alert)


def code_page(
    messages: Messages, brand: BrandSettings | None, token: str, r: str | None, alert: str | None, status: int
) -> Response:
    return _page("code.html", messages, brand, status, {}, token=token, r=r, alert=alert)


def invitation_page(
    messages: Messages,
    brand: BrandSettings | None,
    secret: str,
    name: str,
    username: str,
    errors: dict[str, str],
    status: int,
) -> Response:
    rule = messages("password_rule", **PASSWORD_LENGTH)
    return _page(
        "invitation.html",
        messages,
        brand,
        status,
        {},
        secret=secret,
        name=name,
        username=username,
        errors=errors,
        rule=rule,
    )


def invitation_not_usable_page(messages: Messages, brand: BrandSettings | None) -> Response:
    return TEMPLATES.message(
        404,
        messages,
        messages("invitation_not_usable_title"),
        messages("invitation_not_usable"),
        brand=brand,
        headers={},
        sign="mail",
        link=(LOG_IN, messages("log_in")),
    )


def _page(
    template: str,
    messages: Messages,
    brand: BrandSettings | None,
    status: int,
    headers: dict[str, str],
    **values: Any,
) -> Response:
    return TEMPLATES.page(
        template,
        status,
        form_action="'self'",
        headers=SAME_ORIGIN_REFERRER | headers,
        brand=brand,
        messages=messages,
        max_password_length=MAX_PASSWORD_LENGTH,
        **values,
    )
