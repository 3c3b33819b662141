"""The mail that asks the recipient at a profile's address to verify it."""

from pathlib import Path

from sitewright.accounts.profiles.tokens import PROFILE_EMAIL_TOKEN
from sitewright.kit.mail_kinds import MailKind

PROFILE_VERIFICATION = MailKind(
    name="profileVerification",
    texts_folder=Path(__file__).parent / "mail_texts",
    is_urgent=True,
    link_lifetime=PROFILE_EMAIL_TOKEN.lifetime,
    hides_holder=True,
    sample_facts={"to": "shop@example.com", "url": "https://example.com/?h=1-aaaa"},
)
