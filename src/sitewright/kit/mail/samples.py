"""Mails with the sample facts of their kind: previews, and trials of a brand's own template before it is accepted."""

import jinja2
import msgspec

from sitewright.kit.mail.facts import variables
from sitewright.kit.mail.rendering import OwnTemplates, Rendered, render, template
from sitewright.kit.mail_features import MailBrand, Recipient
from sitewright.kit.mail_kinds import MailKind

BRAND = MailBrand(
    brand_ref=1,
    name="Example",
    domain="example.com",
    time_zone="Europe/Berlin",
    mail_sender=None,
    contact="support@example.com",
    help_url="https://example.com/help",
    language_codes=["en"],
)


def sample_recipient(language: str) -> Recipient:
    return Recipient(
        email="ann@example.com", first_name="Ann", last_name="Example", username="ann", language_code=language
    )


def template_error(source: str, kind: MailKind, language: str, *, is_html: bool) -> str | None:
    """The error of a template for a kind of mail; None when it is valid."""
    try:
        known = variables(kind, sample_recipient(language), kind.sample_facts, BRAND, language)
        template(source, escaping=is_html).render(known)
    except jinja2.TemplateSyntaxError as error:
        return f"not a Jinja template: {error.message} (on its line {error.lineno})"
    except Exception as error:
        return f"fails on an example: {type(error).__name__}: {error}"
    return None


def preview(kind: MailKind, language: str, brand: MailBrand, own: OwnTemplates, service_url: str) -> Rendered:
    """The mail as an account holder with this language would get it from the brand."""
    facts = {"loginUrl": f"{service_url}/login"} if kind.has_login_button else {}
    if brand.mail_logo is not None and not brand.mail_logo.startswith("data:"):
        brand = msgspec.structs.replace(brand, mail_logo=service_url + brand.mail_logo)
    return render(kind, sample_recipient(language), facts | kind.sample_facts, brand, own)
