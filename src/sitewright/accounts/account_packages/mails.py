"""The mails about an account holder's packages."""

from pathlib import Path
from typing import Any

from sitewright.kit.mail_kinds import MailKind

_ENDS_AT = "2031-02-28T12:00:00+00:00"
_PAID = {"package": "Pro", "amount": "99.00", "currency": "EUR", "months": 12, "nextAt": _ENDS_AT}
_PAID_DOMAIN = {**_PAID, "package": "Domain", "domain": "example.com", "amount": "12.00"}


def _kind(name: str, sample_facts: dict[str, Any]) -> MailKind:
    return MailKind(
        name=name,
        texts_folder=Path(__file__).parent / "mail_texts",
        has_login_button=True,
        date_facts=("endsAt", "nextAt"),
        sample_facts=sample_facts,
    )


TRIAL_ENDING = _kind("trialEnding", {"package": "Trial", "endsAt": _ENDS_AT})
TRIAL_ENDED = _kind("trialEnded", {"package": "Trial"})
SUBSCRIBED = _kind("subscribed", _PAID)
UPGRADED = _kind("upgraded", _PAID)
DOWNGRADED = _kind("downgraded", _PAID)
DOMAIN_ORDERED = _kind("domainOrdered", _PAID_DOMAIN)
DOMAIN_RENEWED = _kind("domainRenewed", _PAID_DOMAIN)
DOMAIN_ENDED = _kind("domainEnded", {"package": "Domain", "domain": "example.com", "endsAt": _ENDS_AT})
DOMAIN_FAILED = _kind("domainFailed", {"package": "Domain", "domain": "example.com", "endsAt": _ENDS_AT})
CANCELLED = _kind("cancelled", {"package": "Pro", "endsAt": _ENDS_AT})
RENEWED = _kind("renewed", _PAID)
