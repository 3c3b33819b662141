"""Parses submitted certificates, and orders them into a chain in which each one issued the one before it."""

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

from sitewright.domains.certificates.pem import read_blocks
from sitewright.domains.certificates.reasons import InvalidValue, Reason

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
"""All exceptions with which cryptography rejects a certificate. They have no common base class."""


class SubmittedCertificate(msgspec.Struct, frozen=True):
    """A certificate, and the request field that contained it."""

    field: str
    certificate: Certificate


def read_certificates(text: str) -> list[Certificate]:
    """Parses the PEM certificates of a field. Raises `InvalidValue` if there is none."""
    blocks = read_blocks(text)
    if any(block.label.endswith("PRIVATE KEY") for block in blocks):
        raise InvalidValue("holds a private key. The key belongs into the field key, and nowhere else", "holdsKey")
    certificates = [_load(block.content) for block in blocks if block.label == "CERTIFICATE"]
    if not certificates:
        raise InvalidValue("must hold a certificate that begins with -----BEGIN CERTIFICATE-----", "noCertificate")
    return certificates


def order_chain(leaf: Certificate, others: Sequence[SubmittedCertificate]) -> list[Certificate]:
    """The leaf, its issuer, the issuer's issuer, and so on. Raises `BrokenChain`."""
    chain, rest = [leaf], _without_duplicates(leaf, others)
    while rest:
        issuer = next((each for each in rest if _is_issuer_of(each.certificate, chain[-1])), None)
        if issuer is None:
            raise BrokenChain(rest[0], chain[-1])
        chain.append(issuer.certificate)
        rest.remove(issuer)
    return chain


class BrokenChain(Exception):
    def __init__(self, stray: SubmittedCertificate, end: Certificate) -> None:
        self.field = stray.field
        shown = {
            "stray": display_name(stray.certificate.subject),
            "end": display_name(end.subject),
            "issuer": display_name(end.issuer),
        }
        self.reason = Reason(
            f"{shown['stray']} does not belong to the chain: it did not issue {shown['end']}, which was issued by"
            f" {shown['issuer']}. Send that one, or leave this out",
            "strayCertificate",
            **shown,
        )
        super().__init__(self.reason)


def validity_error(certificate: Certificate, now: datetime) -> Reason | None:
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    name = display_name(certificate.subject)
    if now > ends:
        at = f"{ends:%Y-%m-%d %H:%M:%S} UTC"
        return Reason(f"{name} expired on {at}. Renew it, and send the new one", "expired", name=name, at=at)
    if now < begins:
        at = f"{begins:%Y-%m-%d %H:%M:%S} UTC"
        return Reason(f"{name} is not valid before {at}. Send it then", "notYetValid", name=name, at=at)
    return None


def is_self_issued(certificate: Certificate) -> bool:
    return certificate.issuer == certificate.subject


def pem_of(chain: Sequence[Certificate]) -> str:
    return "".join(each.public_bytes(Encoding.PEM).decode("ascii") for each in chain)


def display_name(name: Name) -> str:
    """The common name, or the whole distinguished name if there is none."""
    common = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    text = str(common[0].value) if common else name.rfc4514_string()
    return "".join(each for each in text if each.isprintable())[:MAX_TITLE] or "a certificate without a name"


def _load(content: bytes) -> Certificate:
    """Parses at once everything that is used later: cryptography parses most fields on first access."""
    try:
        certificate = load_der_x509_certificate(content)
        certificate.public_key()
        _ = (certificate.subject, certificate.issuer, certificate.extensions)
    except UNREADABLE:
        raise InvalidValue(
            "is damaged: a certificate in it cannot be read. Send the PEM file whole", "unreadableCertificate"
        ) from None
    return certificate


def _without_duplicates(leaf: Certificate, others: Sequence[SubmittedCertificate]) -> list[SubmittedCertificate]:
    unique = {each.certificate: each for each in reversed(others) if each.certificate != leaf}
    return list(reversed(unique.values()))


def _is_issuer_of(issuer: Certificate, issued: Certificate) -> bool:
    if issued.issuer != issuer.subject or not _may_issue(issuer):
        return False
    try:
        issued.verify_directly_issued_by(issuer)
    except (InvalidSignature, *UNREADABLE):
        return False
    return True


def _may_issue(certificate: Certificate) -> bool:
    """Whether this is the certificate of an authority. Those of old authorities do not state it."""
    try:
        return certificate.extensions.get_extension_for_class(BasicConstraints).value.ca
    except ExtensionNotFound:
        return True
