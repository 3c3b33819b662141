"""The mail that carries a visitor's message to the account holder."""

from pathlib import Path

from sitewright.kit.mail_kinds import MailKind

CONTACT_MESSAGE = MailKind(
    name="contactMessage",
    texts_folder=Path(__file__).parent / "mail_texts",
    is_urgent=True,
    multi_line_facts=("message",),
    sample_facts={
        "site": "www.example.com",
        "visitorName": "Bo Visitor",
        "visitorEmail": "bo@example.org",
        "message": "Hello,\nwhen are you open?",
        "replyTo": "bo@example.org",
    },
)
