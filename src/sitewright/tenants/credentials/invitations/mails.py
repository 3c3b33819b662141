"""The mail that invites a person to work for a brand."""

from datetime import timedelta
from pathlib import Path

from sitewright.kit.mail_kinds import MailKind

LIFETIME = timedelta(days=7)
OPERATOR_INVITATION = MailKind(
    name="operatorInvitation",
    texts_folder=Path(__file__).parent / "mail_texts",
    is_urgent=True,
    link_lifetime=LIFETIME,
    sample_facts={
        "to": "kim@brand.example",
        "name": "Kim Example",
        "url": "https://example.com/console/invitation?h=1-aaaa",
    },
)
