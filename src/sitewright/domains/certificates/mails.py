"""The mail that warns a brand of certificates that expire soon."""

from pathlib import Path

from sitewright.kit.mail_kinds import MailKind

CERTIFICATE_EXPIRING = MailKind(
    name="certificateExpiring",
    texts_folder=Path(__file__).parent / "mail_texts",
    multi_line_facts=("certificates",),
    sample_facts={
        "to": "support@example.com",
        "days": "14",
        "certificates": "2031-02-28  www.example.com, shop.example.com\n2031-03-01  *.example.org",
    },
)
