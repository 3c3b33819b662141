"""What account holders would see with settings that are typed but not saved. Nothing is stored."""

from typing import Any

import msgspec

from sitewright.kit.http.page import HTML, form_of
from sitewright.kit.http.responses import Response
from sitewright.kit.mail.samples import preview as preview_mail
from sitewright.kit.mail_features import MailBrand
from sitewright.kit.origin import service_url
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse, parse_query
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.tenants.brands.settings import service
from sitewright.tenants.brands.settings.service import BrandSettingsChanges, BrandSettingsDetails
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.settings.schemas import PreviewForm, changes_of
from sitewright.web.login.preview.service import FRAMED, log_in_preview

MAIL_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'self'"
)
"""Mails have their styles in attributes; no script runs, and nothing can be sent."""
MAIL_KIND = "welcome"
SPECIAL = {"support_email": "own_support_email", "languages": "language_codes"}


class Look(msgspec.Struct, frozen=True):
    """A brand with unsaved settings, and the picture of its unsaved logo."""

    brand: BrandSettings
    logo: str | None


async def show_saved(request: ConsoleRequest) -> Response:
    """With the settings in force."""
    assert request.brand is not None  # noqa: S101 - the page requires a brand
    look = Look(request.brand, None)
    return (
        _mail(request, look)
        if parse_query(request.http_request.query).get("view") == "mail"
        else log_in_preview(look.brand, look.logo)
    )


async def show_typed(request: ConsoleRequest) -> Response:
    form = form_of(request.http_request)
    wanted, look = parse(PreviewForm, form), _typed(request, form)
    return _mail(request, look) if wanted.view == "mail" else log_in_preview(look.brand, look.logo)


def _typed(request: ConsoleRequest, form: dict[str, Any]) -> Look:
    """Fields that are not valid (yet) keep their saved values."""
    assert request.brand is not None  # noqa: S101 - the page requires a brand
    given = service.normalized(_valid(service.describe(request.brand), form))
    wrong = {name for name, encoded in service.FIELDS.items() if encoded in service.check_values(given)}
    values = {SPECIAL.get(name, name): value for name, value in given.items() if name not in wrong}
    pictures = {name: values.pop(name) for name in service.PICTURES if name in values}
    removed = {f"{name}_hash": None for name, value in pictures.items() if value is None}
    return Look(msgspec.structs.replace(request.brand, **values, **removed), pictures.get("logo"))


def _valid(settings: BrandSettingsDetails, form: dict[str, Any]) -> BrandSettingsChanges:
    try:
        return changes_of(settings, form)
    except Invalid as invalid:
        kept = {name: value for name, value in form.items() if name.removesuffix("File") not in invalid.errors}
        return BrandSettingsChanges() if len(kept) == len(form) else _valid(settings, kept)


def _mail(request: ConsoleRequest, look: Look) -> Response:
    resources, brand = request.resources, look.brand
    known = {name: getattr(brand, name) for name in MailBrand.__struct_fields__}
    known["mail_logo"] = look.logo or brand.mail_logo
    language = (brand.language_codes or ["en"])[0]
    url = service_url(resources.settings, request.http_request.origin)
    shown = preview_mail(resources.mail.kinds[MAIL_KIND], language, MailBrand(**known), {}, url)
    headers = FRAMED | {"content-security-policy": MAIL_POLICY}
    return Response(200, shown.html.encode(), headers, f"{HTML}; charset=utf-8")
