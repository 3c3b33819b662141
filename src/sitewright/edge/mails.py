"""The mails between a visitor and the account holder."""

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
CONTACT_REPLY = MailKind(
    name="contactReply",
    texts_folder=Path(__file__).parent / "mail_texts",
    is_urgent=True,
    multi_line_facts=("reply",),
    hides_holder=True,
    sample_facts={
        "to": "bo@example.org",
        "site": "www.example.com",
        "fromName": "Penny & Pear",
        "reply": "Hello Bo,\nwe are open every day but Sunday.",
        "replyTo": "ann@example.com",
    },
)
