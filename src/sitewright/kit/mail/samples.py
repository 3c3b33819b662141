"""Tries a brand's own template with the sample facts of its kind of mail, before it is accepted."""

from datetime import UTC, datetime

import jinja2

from sitewright.kit.mail.facts import variables
from sitewright.kit.mail.rendering import template
from sitewright.kit.mail.store import Brand, WaitingMail
from sitewright.kit.mail_kinds import MailKind

BRAND = Brand("Example", "example.com", "Europe/Berlin", None, ["en"])


def sample(kind: MailKind, language: str) -> WaitingMail:
    return WaitingMail(
        brand_ref=1,
        ref=1,
        user_ref=1,
        kind=kind.name,
        facts=None,
        created_at=datetime(2031, 1, 31, tzinfo=UTC),
        attempts=1,
        email="ann@example.com",
        first_name="Ann",
        last_name="Example",
        username="ann",
        language_code=language,
        contact="support@example.com",
        help_url="https://example.com/help",
    )


def fault_in(source: str, kind: MailKind, language: str, *, is_html: bool) -> str | None:
    """Why a text cannot be a template of a kind of mail; None when it can."""
    try:
        known = variables(kind, sample(kind, language), kind.sample_facts, BRAND, language)
        template(source, escaping=is_html).render(known)
    except jinja2.TemplateSyntaxError as error:
        return f"not a Jinja template: {error.message} (on its line {error.lineno})"
    except Exception as error:
        return f"fails on an example: {type(error).__name__}: {error}"
    return None
