"""The mails about an account holder's own account."""

from pathlib import Path

from sitewright.kit.mail_kinds import MailKind

_TEXTS = Path(__file__).parent / "mail_texts"

WELCOME = MailKind(
    name="welcome",
    texts_folder=_TEXTS,
    is_urgent=True,
    has_login_button=True,
    sample_facts={"loginUrl": "https://example.com/login"},
)
PASSWORD_CHANGED = MailKind(
    name="passwordChanged",
    texts_folder=_TEXTS,
    is_urgent=True,
    sample_facts={"to": "ann@example.com"},
)
EMAIL_CHANGED = MailKind(
    name="emailChanged",
    texts_folder=_TEXTS,
    is_urgent=True,
    sample_facts={"to": "ann@example.com", "newEmail": "ann@example.org"},
)
DELETION_REQUESTED = MailKind(
    name="deletionRequested",
    texts_folder=_TEXTS,
    sample_facts={"to": "support@example.com", "userRef": "41"},
)
DELETION_RECEIVED = MailKind(
    name="deletionReceived",
    texts_folder=_TEXTS,
    is_urgent=True,
    sample_facts={},
)
