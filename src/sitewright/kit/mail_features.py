"""What the features contribute to sending mail. `features.MAIL` composes it; `Resources` hands it on."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.mail_kinds import MailKind


class Recipient(msgspec.Struct, frozen=True, kw_only=True):
    """What a mail may say about the account holder it is for. All None: it is for the brand's own staff."""

    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    username: str | None = None
    language_code: str | None = None
    brand_name: str | None = None
    """The name that the account holder knows the brand by, if not its own; so too the next three."""
    contact: str | None = None
    help_url: str | None = None
    login_url: str | None = None


class MailBrand(msgspec.Struct, frozen=True, kw_only=True):
    """What a mail may say about the brand, and in which of its languages."""

    brand_ref: int
    name: str
    domain: str | None
    time_zone: str
    mail_sender: str | None
    contact: str | None
    help_url: str | None
    language_codes: list[str]
    accent_colour: str | None = None
    support_email: str | None = None
    support_url: str | None = None
    privacy_url: str | None = None
    terms_url: str | None = None
    mail_logo: str | None = None
    """The address of the logo: first a path on the service's host, then complete (`preparing`)."""
    test_mode: bool = False
    """Its mails are only written to the mail folder."""


class MailFeatures(msgspec.Struct, frozen=True, kw_only=True):
    kinds: Mapping[str, MailKind]
    """By name."""
    find_recipients: Callable[[Transaction, Sequence[int]], Awaitable[dict[int, Recipient]]]
    """The account holders with these refs, without those who are deleted or anonymized."""
    find_brand: Callable[[Transaction], Awaitable[MailBrand]]
    """The transaction's brand."""
    login_path: str
    """Where the log-in button leads, unless the recipient has another log-in page."""
