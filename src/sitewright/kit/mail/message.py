"""Encodes a rendered mail as MIME: headers safe against injection, a text part and an HTML part.

Messages are 7-bit clean, whatever the language. Only an address whose local part is not ASCII needs a server with
SMTPUTF8.
"""

import binascii
import email.policy
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email.headerregistry import Address
from email.utils import format_datetime
from functools import lru_cache

import idna
import msgspec

from sitewright.kit.addresses import is_address
from sitewright.kit.mail.facts import one_line
from sitewright.kit.mail.rendering import Rendered
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.mail_features import MailBrand

_NAMED = re.compile(r"(?P<name>[^<>]*+)<\s*+(?P<address>[^<>\s]++)\s*+>\s*+")
_LANGUAGE = re.compile(r"[A-Za-z0-9-]+")
_CRLF = "\r\n"
MAX_LINE_LENGTH = 990
"""The limit for a part without transfer encoding; SMTP allows 998."""
SHORT_SUBJECT = 68
"""Fits into a line of 78 with the header's name."""
_POLICY = email.policy.SMTP
# Not folded: Python drops the quotes around a long name in UTF-8 when it folds it.
_UTF8_POLICY = _POLICY.clone(utf8=True, max_line_length=0)


class AddressUnusable(Exception):
    """No mail can ever be sent to this address."""


class Sender(msgspec.Struct, frozen=True):
    name: str
    address: str


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope's sender and recipient, and the content."""

    sender: str
    recipient: str
    content: bytes
    needs_utf8: bool


def parse_sender(text: str) -> Sender | None:
    """`Name <address>` or an address alone; None when it is neither."""
    named = _NAMED.fullmatch(text)
    name, address = (named["name"].strip().strip('"'), named["address"]) if named is not None else ("", text.strip())
    return Sender(one_line(name), address) if is_address(address) and text.isprintable() else None


def sender_of(brand: MailBrand, mail_from: str) -> Sender:
    """The brand's own sender, else the deployment's, else one at the brand's domain; by default with its name."""
    chosen = parse_sender(brand.mail_sender or "") or parse_sender(mail_from)
    if chosen is None:
        chosen = Sender("", f"no-reply@{brand.domain or 'localhost.localdomain'}")
    return Sender(chosen.name or one_line(brand.name), chosen.address)


def compose(
    mail: WaitingMail, recipient: str, rendered: Rendered, sender: Sender, at: datetime, reply_to: str | None = None
) -> Message:
    """Builds the MIME message, ten times as fast as the standard library, which only encodes names and subjects."""
    sender_address, recipient_address = on_the_wire(sender.address), on_the_wire(recipient)
    needs_utf8 = not (sender_address + recipient_address).isascii()
    headers = [
        _from(sender.name, sender_address, needs_utf8=needs_utf8),
        f"To: {recipient_address}",
        _subject(one_line(rendered.subject), needs_utf8=needs_utf8),
        f"Date: {_date(at.replace(microsecond=0))}",
        f"Message-ID: {message_id(mail, sender_address)}",
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
    ]
    with suppress(AddressUnusable):
        if reply_to is not None and (address := on_the_wire(reply_to)).isascii():
            headers.append(f"Reply-To: {address}")
    if _LANGUAGE.fullmatch(rendered.language):
        headers.append(f"Content-Language: {rendered.language}")
    content = _CRLF.join([*headers, *_parts(rendered)]).encode()
    return Message(sender=sender_address, recipient=recipient_address, content=content, needs_utf8=needs_utf8)


@lru_cache(maxsize=10)
def _date(second: datetime) -> str:
    return format_datetime(second)


@lru_cache(maxsize=1000)
def _from(name: str, address: str, *, needs_utf8: bool) -> str:
    local, _, domain = address.rpartition("@")
    return _folded("From", Address(one_line(name), local, domain), needs_utf8=needs_utf8)


def _subject(text: str, *, needs_utf8: bool) -> str:
    """A short ASCII subject needs no encoding, and skips the slow path."""
    if text.isascii() and len(text) <= SHORT_SUBJECT and "=?" not in text:
        return f"Subject: {text}"
    return _folded("Subject", text, needs_utf8=needs_utf8)


def _folded(name: str, value: str | Address, *, needs_utf8: bool) -> str:
    """Returns a header, encoded, quoted and folded as needed."""
    policy = _UTF8_POLICY if needs_utf8 else _POLICY
    header: str = policy.fold(name, policy.header_factory(name, value))
    return header.rstrip(_CRLF)


def _parts(rendered: Rendered) -> Iterator[str]:
    boundary = f"=_{secrets.token_hex(16)}"
    yield f'Content-Type: multipart/alternative; boundary="{boundary}"'
    for subtype, text in (("plain", rendered.text), ("html", rendered.html)):
        yield ""
        yield f"--{boundary}"
        yield f"Content-Type: text/{subtype}; charset=utf-8"
        yield from _body(text)
    yield f"--{boundary}--"
    yield ""


def _body(text: str) -> Iterator[str]:
    """Without transfer encoding where possible, so that files are readable, too."""
    lines = text.splitlines()
    is_plain = text.isascii() and max(map(len, lines), default=0) <= MAX_LINE_LENGTH
    if not is_plain:
        lines = binascii.b2a_qp("\n".join(lines).encode(), istext=True).decode().split("\n")
    yield f"Content-Transfer-Encoding: {'7bit' if is_plain else 'quoted-printable'}"
    yield ""
    yield from lines


def message_id(mail: WaitingMail, sender_address: str) -> str:
    """The same for every attempt, so that a duplicate can be recognized."""
    return f"<{mail.brand_ref}.{mail.ref}.{mail.created_at:%Y%m%d%H%M%S%f}@{sender_address.rpartition('@')[2]}>"


@lru_cache(maxsize=1000)
def on_the_wire(address: str) -> str:
    """The address with its domain in ASCII by IDNA 2008; the older rules map some names to another domain."""
    local, _, domain = address.rpartition("@")
    if not is_address(address):
        raise AddressUnusable("the address is not a valid e-mail address")
    try:
        return address if domain.isascii() else f"{local}@{idna.encode(domain, uts46=True).decode()}"
    except ValueError as error:
        raise AddressUnusable("the address's domain cannot be encoded in ASCII") from error
