"""An example of every kind of mail: a brand's own templates are tried out on them before they are taken."""

from datetime import UTC, datetime
from typing import Any

import jinja2

from sitewright.kit.mail.facts import variables
from sitewright.kit.mail.rendering import template
from sitewright.kit.mail.store import Brand, WaitingMail

_URL = "https://example.com/?h=1-aaaa"
_PAID = {
    "package": "Pro",
    "amount": "99.00",
    "currency": "EUR",
    "months": 12,
    "nextAt": "2031-02-28T12:00:00+00:00",
}
FACTS: dict[str, dict[str, Any]] = {
    "welcome": {"loginUrl": "https://example.com/login"},
    "passwordReset": {"to": "ann@example.com", "links": [{"username": "ann", "url": _URL}]},
    "verification": {"to": "ann@example.com", "url": _URL},
    "profileVerification": {"to": "shop@example.com", "url": _URL},
    "passwordChanged": {"to": "ann@example.com"},
    "trialEnding": {"package": "Trial", "endsAt": "2031-02-28T12:00:00+00:00"},
    "trialEnded": {"package": "Trial"},
    "subscribed": _PAID,
    "upgraded": _PAID,
    "downgraded": _PAID,
    "cancelled": {"package": "Pro", "endsAt": "2031-02-28T12:00:00+00:00"},
    "renewed": _PAID,
    "contactMessage": {
        "site": "www.example.com",
        "visitorName": "Bo Visitor",
        "visitorEmail": "bo@example.org",
        "message": "Hello,\nwhen are you open?",
        "replyTo": "bo@example.org",
    },
    "certificateExpiring": {
        "to": "support@example.com",
        "days": "14",
        "certificates": "2031-02-28  www.example.com, shop.example.com\n2031-03-01  *.example.org",
    },
}
BRAND = Brand("Example", "example.com", "Europe/Berlin", None, ["en"])


def sample(kind: str, language: str) -> WaitingMail:
    return WaitingMail(
        brand_ref=1,
        ref=1,
        user_ref=1,
        kind=kind,
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


def fault_in(source: str, kind: str, language: str, *, is_html: bool) -> str | None:
    """Why a text cannot be a template of a kind of mail; None when it can."""
    try:
        template(source, escaping=is_html).render(
            variables(sample(kind, language), FACTS.get(kind, {}), BRAND, language)
        )
    except jinja2.TemplateSyntaxError as error:
        return f"not a Jinja template: {error.message} (on its line {error.lineno})"
    except Exception as error:
        return f"fails on an example: {type(error).__name__}: {error}"
    return None
