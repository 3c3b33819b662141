"""The form of the settings, and how it becomes changes of the settings."""

import base64
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.shown_values import shown_values
from sitewright.kit.ui.pictures import picture_of
from sitewright.kit.validation import parse
from sitewright.tenants.brands.settings.service import BrandSettingsChanges, BrandSettingsDetails
from sitewright.web.console.frame.page_routes import Form
from sitewright.web.console.settings.fields import FIELDS, Field

LINES = "One in each line."
NO_DAYS = "0"


class SettingsForm(Form, frozen=True, kw_only=True, rename="camel"):
    """What differs from `shown` is changed: empty texts reset a setting to its default. `logoFile` and `faviconFile`
    are new pictures."""

    name: Annotated[str, about("The name of the brand.", "Brand")]
    accent_colour: Annotated[str, about("The color of buttons and links.", "#0b5cad")] = ""
    remove_logo: Annotated[str, about("`1`: have no logo any more.", "")] = ""
    remove_favicon: Annotated[str, about("`1`: have no icon any more.", "")] = ""
    support_email: Annotated[str, about("Where account holders write to.", "help@brand.example")] = ""
    support_url: Annotated[str, about("The help link on pages.", "")] = ""
    help_url: Annotated[str, about("The help link in mails.", "")] = msgspec.field(name="helpURL", default="")
    privacy_url: Annotated[str, about("The privacy policy.", "")] = ""
    terms_url: Annotated[str, about("The terms of service.", "")] = ""
    mail_sender: Annotated[str, about("The sender of mails.", "")] = ""
    contact: Annotated[str, about("Who is warned of expiring certificates.", "")] = ""
    languages: Annotated[str, about(f"Codes of languages. {LINES}", "en\nde")] = ""
    time_zone: Annotated[str, about("The time zone.", "Europe/Berlin")]
    activation_url: Annotated[str, about("Where sites are activated.", "")] = msgspec.field(
        name="activationURL", default=""
    )
    editor_url: Annotated[str, about("Where sites are edited.", "")] = ""
    redirect_url: Annotated[str, about("Where mailed links lead.", "")] = msgspec.field(name="redirectURL", default="")
    external_payment_url: Annotated[str, about("Where packages are bought.", "")] = msgspec.field(
        name="externalPaymentURL", default=""
    )
    external_subscription_url: Annotated[str, about("Where subscriptions are managed.", "")] = msgspec.field(
        name="externalSubscriptionURL", default=""
    )
    external_payment_cancellation_url: Annotated[str, about("Where subscriptions are cancelled.", "")] = msgspec.field(
        name="externalPaymentCancellationURL", default=""
    )
    self_service_deletion: Annotated[str, about("`off` or `request`.", "off")] = "off"
    allowed_link_hosts: Annotated[str, about(f"Hosts of mailed links. {LINES}", "")] = ""
    reserved_names: Annotated[str, about(f"Reserved names. {LINES}", "")] = ""
    allowed_reserved_names: Annotated[str, about(f"Allowed reserved names. {LINES}", "")] = ""
    consistent_types: Annotated[str, about("`1`: numbers as numbers.", "")] = ""
    upsert_global_values: Annotated[str, about("`1`: PUT creates global values.", "")] = ""
    hard_delete_delay_days: Annotated[str, about("Days before a site is erased.", "0")] = NO_DAYS
    dns_provider: Annotated[str, about("`none`, `powerdns` or `rfc2136`. Empty: as the service is set.", "")] = ""
    shown: Annotated[str, about("The values that the form showed, as a JSON object.", '{"name": "Brand"}')] = ""


class PreviewForm(SettingsForm, frozen=True, kw_only=True, rename="camel"):
    """The same, and what is to be shown with it."""

    view: Annotated[str, about("`page` or `mail`.", "page")] = "page"


def changes_of(settings: BrandSettingsDetails, form: dict[str, Any]) -> BrandSettingsChanges:
    """What differs from what the form showed: others may have changed the rest since. Raises `Invalid` with every field
    whose type or length is wrong."""
    shown = first_shown(settings, form)
    values = {field.name: _value(field, form) for field in FIELDS.values() if _is_changed(field, form, shown)}
    return parse(BrandSettingsChanges, values)


def first_shown(settings: BrandSettingsDetails, form: dict[str, Any]) -> dict[str, str]:
    """What the form showed when it was opened."""
    return shown_values(saved_values(settings), str(form.get("shown", "")))


def typed_values(form: dict[str, Any]) -> dict[str, Any]:
    """What the form shows again: texts as they were typed."""
    return {name: form.get(name, "") for name, field in FIELDS.items() if field.kind != "picture"}


def saved_values(settings: BrandSettingsDetails) -> dict[str, str]:
    """What the form shows of the present settings."""
    saved = msgspec.to_builtins(settings)
    return {name: _shown(saved[name]) for name, field in FIELDS.items() if field.kind != "picture"}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    if isinstance(value, int):
        return str(value)
    return "\n".join(value) if isinstance(value, list) else value or ""


def _is_changed(field: Field, form: dict[str, Any], shown: dict[str, str]) -> bool:
    if field.kind == "picture":
        return isinstance(form.get(f"{field.name}File"), bytes) or _is_removed(field, form)
    return bool(_value(field, form) != _value(field, shown))


def _is_removed(field: Field, form: Mapping[str, Any]) -> bool:
    return form.get(f"remove{field.name.title()}") == "1"


def _value(field: Field, form: Mapping[str, Any]) -> Any:
    if field.kind == "picture":
        return None if _is_removed(field, form) else _data_url(form[f"{field.name}File"])
    text = form.get(field.name, "")
    if field.kind == "flag":
        return text == "1"
    if not isinstance(text, str):
        return text
    if field.kind == "lines":
        return [line.strip() for line in text.splitlines() if line.strip()]
    return text.strip() or (text if field.is_required else _empty(field))


def _empty(field: Field) -> str | None:
    """What a field that was left empty means."""
    if field.kind == "days":
        return NO_DAYS
    return field.choices[0] or None if field.choices else None


def _data_url(content: bytes) -> str:
    """A file of another type stays one, so that the rules of pictures refuse it."""
    picture = picture_of(content)
    return f"data:;base64,{base64.b64encode(content[:10]).decode()}" if picture is None else picture.data_url
