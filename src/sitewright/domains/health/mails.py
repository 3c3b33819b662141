"""The mail to an account holder whose live site cannot be reached by its domain."""

from pathlib import Path

from sitewright.kit.mail_kinds import MailKind

DOMAIN_FAILING = MailKind(
    name="domainFailing",
    texts_folder=Path(__file__).parent / "mail_texts",
    has_login_button=True,
    multi_line_facts=("fix",),
    sample_facts={
        "domain": "www.example.com",
        "problem": "Over IPv4, www.example.com leads to 203.0.113.9, which is not this service.",
        "fix": "Replace the A records by:\nwww.example.com. 3600 IN A 203.0.113.7",
    },
)
