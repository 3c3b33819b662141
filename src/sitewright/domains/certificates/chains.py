"""Certificates as they are sent: read, and put in the order in which each vouches for the one before it."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from cryptography.exceptions import InternalError, InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import (
    BasicConstraints,
    Certificate,
    DuplicateExtension,
    ExtensionNotFound,
    InvalidVersion,
    Name,
    UnsupportedGeneralNameType,
    load_der_x509_certificate,
)
from cryptography.x509.oid import NameOID

from sitewright.domains.certificates.pem import Fault, read_blocks

MAX_TITLE = 80
UNREADABLE = (
    ValueError,
    TypeError,
    UnsupportedAlgorithm,
    InternalError,
    DuplicateExtension,
    InvalidVersion,
    UnsupportedGeneralNameType,
)
"""All that cryptography says of a certificate it does not read. They have nothing in common."""


class Sent(msgspec.Struct, frozen=True):
    """A certificate, and where in the request it stood."""

    field: str
    certificate: Certificate


def read_certificates(text: str) -> list[Certificate]:
    """At least one."""
    blocks = read_blocks(text)
    if any(block.label.endswith("PRIVATE KEY") for block in blocks):
        raise Fault("holds a private key. The key belongs into the field key, and nowhere else")
    certificates = [_load(block.content) for block in blocks if block.label == "CERTIFICATE"]
    if not certificates:
        raise Fault("must hold a certificate that begins with -----BEGIN CERTIFICATE-----")
    return certificates


def in_order(leaf: Certificate, others: Sequence[Sent]) -> list[Certificate]:
    """The leaf, who vouches for it, who vouches for that, and so on. Raises `BrokenChain`."""
    chain, rest = [leaf], _without_repeats(leaf, others)
    while rest:
        above = next((each for each in rest if _vouches(each.certificate, chain[-1])), None)
        if above is None:
            raise BrokenChain(rest[0], chain[-1])
        chain.append(above.certificate)
        rest.remove(above)
    return chain


class BrokenChain(Exception):
    def __init__(self, stray: Sent, end: Certificate) -> None:
        self.field = stray.field
        super().__init__(
            f"{title(stray.certificate.subject)} does not belong to the chain: it did not issue"
            f" {title(end.subject)}, which was issued by {title(end.issuer)}. Send that one, or leave this out"
        )


def fault_in_dates(certificate: Certificate, now: datetime) -> str | None:
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > ends:
        return f"{title(certificate.subject)} expired on {ends:%Y-%m-%d %H:%M:%S} UTC. Renew it, and send the new one"
    if now < begins:
        return f"{title(certificate.subject)} is not valid before {begins:%Y-%m-%d %H:%M:%S} UTC. Send it then"
    return None


def is_self_issued(certificate: Certificate) -> bool:
    return certificate.issuer == certificate.subject


def pem_of(chain: Sequence[Certificate]) -> str:
    return "".join(each.public_bytes(Encoding.PEM).decode("ascii") for each in chain)


def title(name: Name) -> str:
    """What people call who it is: the common name, else all of it."""
    common = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    text = str(common[0].value) if common else name.rfc4514_string()
    return "".join(each for each in text if each.isprintable())[:MAX_TITLE] or "a certificate without a name"


def _load(content: bytes) -> Certificate:
    """Most of a certificate is read when it is first asked for: ask for all that is used later."""
    try:
        certificate = load_der_x509_certificate(content)
        certificate.public_key()
        _ = (certificate.subject, certificate.issuer, certificate.extensions)
    except UNREADABLE:
        raise Fault("is damaged: a certificate in it cannot be read. Send the PEM file whole") from None
    return certificate


def _without_repeats(leaf: Certificate, others: Sequence[Sent]) -> list[Sent]:
    once = {each.certificate: each for each in reversed(others) if each.certificate != leaf}
    return list(reversed(once.values()))


def _vouches(above: Certificate, below: Certificate) -> bool:
    if below.issuer != above.subject or not _may_issue(above):
        return False
    try:
        below.verify_directly_issued_by(above)
    except (InvalidSignature, *UNREADABLE):
        return False
    return True


def _may_issue(certificate: Certificate) -> bool:
    """Old authorities do not say."""
    try:
        return certificate.extensions.get_extension_for_class(BasicConstraints).value.ca
    except ExtensionNotFound:
        return True
