"""Validates that a key and its certificates match and can be served. Slow: run it in a thread."""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import Certificate

from sitewright.domains.certificates import chains, keys, names
from sitewright.domains.certificates.chains import BrokenChain, SubmittedCertificate
from sitewright.domains.certificates.keys import PrivateKey
from sitewright.domains.certificates.reasons import InvalidValue, Reason
from sitewright.kit.problems import FieldErrors
from sitewright.kit.tls import server_context
from sitewright.kit.validation import field_code

MAX_BYTES = 64 * 1024
MAX_CERTIFICATES = 10


class ValidCertificate(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate that can be served, with its key."""

    chain: str
    key: bytes
    key_type: str
    names: list[str]
    fingerprint: str
    not_before: datetime
    not_after: datetime

    def __repr__(self) -> str:
        return f"ValidCertificate(fingerprint={self.fingerprint!r})"


def validate(
    key: str | None, cert: str | None, intermediates: Sequence[str], now: datetime, *, rsa_header: bool
) -> tuple[ValidCertificate | None, FieldErrors]:
    """The certificate, or all field errors. A field that is None has been rejected before."""
    errors: FieldErrors = {}
    if error := _size_error(key, cert, intermediates):
        return None, _field_error("cert", error)
    private = None
    with _collect_error(errors, "key"):
        private = None if key is None else keys.read_key(key, rsa_header=rsa_header)
    from_cert = _read_each(errors, {} if cert is None else {"cert": cert})
    from_intermediates = _read_each(
        errors, {f"intermediates[{index}]": text for index, text in enumerate(intermediates)}
    )
    if error := _count_error(len(from_cert) + len(from_intermediates)):
        return None, _field_error("cert", error)
    if not from_cert:
        return None, errors
    chain, chain_errors = _chain(from_cert[0].certificate, from_intermediates or from_cert[1:], now)
    errors |= chain_errors | _leaf_errors([each.certificate for each in from_cert], private, now)
    if errors or private is None:
        return None, errors
    return _build(private, chain)


@contextmanager
def _collect_error(errors: FieldErrors, field: str) -> Iterator[None]:
    try:
        yield
    except InvalidValue as invalid:
        errors |= _field_error(field, invalid.reason)


def _read_each(errors: FieldErrors, texts: Mapping[str, str]) -> list[SubmittedCertificate]:
    sent: list[SubmittedCertificate] = []
    for field, text in texts.items():
        with _collect_error(errors, field):
            sent += [SubmittedCertificate(field, each) for each in chains.read_certificates(text)]
    return sent


def _field_error(field: str, reason: Reason) -> FieldErrors:
    return {field: {field_code(field.partition("[")[0]): reason}}


def _size_error(key: str | None, cert: str | None, intermediates: Sequence[str]) -> Reason | None:
    size = sum(len(text.encode()) for text in (key or "", cert or "", *intermediates))
    if size <= MAX_BYTES:
        return None
    kibibytes = size // 1024 + 1
    return Reason(
        f"may hold at most 64 KiB together with key and intermediates; these hold {kibibytes} KiB."
        " Send the certificate and its intermediates, and nothing else",
        "tooLarge",
        size=kibibytes,
    )


def _count_error(count: int) -> Reason | None:
    if count <= MAX_CERTIFICATES:
        return None
    return Reason(
        f"may come with at most {MAX_CERTIFICATES} certificates in all; these are {count}."
        " Send its intermediates, and no others",
        "tooMany",
        most=MAX_CERTIFICATES,
        number=count,
    )


def _leaf_errors(certificates: Sequence[Certificate], private: PrivateKey | None, now: datetime) -> FieldErrors:
    leaf = certificates[0]
    if private is not None and not _matches(private, leaf):
        other = next((number for number, each in enumerate(certificates, 1) if _matches(private, each)), None)
        if other is None:
            text = "does not belong to the certificate. Send the key that the certificate was issued for"
            return _field_error("key", Reason(text, "keyOfAnother"))
        text = f"must begin with the certificate of the key, which is number {other}. Put it first"
        return _field_error("cert", Reason(text, "notFirst", number=other))
    if error := chains.validity_error(leaf, now):
        return _field_error("cert", error)
    if not names.names_in(leaf):
        return _field_error("cert", Reason("names no host at all. Order one that names the domain", "namesNothing"))
    return {}


def _matches(private: PrivateKey, certificate: Certificate) -> bool:
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    return private.public_key().public_bytes(*form) == certificate.public_key().public_bytes(*form)


def _chain(
    leaf: Certificate, others: Sequence[SubmittedCertificate], now: datetime
) -> tuple[list[Certificate], FieldErrors]:
    try:
        chain = chains.order_chain(leaf, others)
    except BrokenChain as broken:
        return [], _field_error(broken.field, broken.reason)
    fields = {each.certificate: each.field for each in others}
    for each in chain[1:]:
        error = chains.validity_error(each, now)
        if error and not chains.is_self_issued(each):  # browsers use their own copy of a root
            return [], _field_error(fields[each], error)
    return chain, {}


def _build(private: PrivateKey, chain: list[Certificate]) -> tuple[ValidCertificate | None, FieldErrors]:
    leaf = chain[0]
    certificate = ValidCertificate(
        chain=chains.pem_of(chain),
        key=keys.pem_of(private),
        key_type=keys.type_of(private),
        names=names.names_in(leaf),
        fingerprint=leaf.fingerprint(SHA256()).hex(),
        not_before=leaf.not_valid_before_utc,
        not_after=leaf.not_valid_after_utc,
    )
    reason = _tls_error(certificate)
    if reason is not None:
        text = f"cannot be served: the TLS library refuses it ({reason}). Order another one"
        return None, _field_error("cert", Reason(text, "refusedByTls", reason=reason))
    return certificate, {}


def _tls_error(certificate: ValidCertificate) -> str | None:
    """OpenSSL has additional rules, for example on signatures."""
    try:
        server_context(certificate.chain.encode(), certificate.key)
    except ssl.SSLError as error:
        return str(error.reason or "no reason given").lower().replace("_", " ")
    return None
