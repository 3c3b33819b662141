"""The mails that carry a secret link to an account holder."""

from pathlib import Path

from sitewright.accounts.users.tokens import EMAIL_CHANGE_TOKEN, RESET_TOKEN, VERIFICATION_TOKEN
from sitewright.kit.mail_kinds import MailKind

_TEXTS = Path(__file__).parent / "mail_texts"
_URL = "https://example.com/?h=1-aaaa"

PASSWORD_RESET = MailKind(
    name="passwordReset",
    texts_folder=_TEXTS,
    is_urgent=True,
    link_lifetime=RESET_TOKEN.lifetime,
    sample_facts={"to": "ann@example.com", "links": [{"username": "ann", "url": _URL}]},
)
EMAIL_VERIFICATION = MailKind(
    name="verification",
    texts_folder=_TEXTS,
    is_urgent=True,
    link_lifetime=VERIFICATION_TOKEN.lifetime,
    sample_facts={"to": "ann@example.com", "url": _URL},
)
EMAIL_CHANGE = MailKind(
    name="emailChange",
    texts_folder=_TEXTS,
    is_urgent=True,
    link_lifetime=EMAIL_CHANGE_TOKEN.lifetime,
    hides_holder=True,
    sample_facts={"to": "ann@example.org", "url": _URL},
)
