"""Whether a key and its certificates fit together and can be served. Takes its time: not for the event loop."""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import Certificate

from sitewright.domains.certificates import chains, keys, names
from sitewright.domains.certificates.chains import BrokenChain, Sent
from sitewright.domains.certificates.keys import PrivateKey
from sitewright.domains.certificates.pem import Fault
from sitewright.kit.problems import FieldErrors
from sitewright.kit.tls import server_context
from sitewright.kit.validation import field_code

MOST_BYTES = 64 * 1024
MOST_CERTIFICATES = 10


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate that can be served."""

    chain: str
    key: bytes
    key_type: str
    names: list[str]
    fingerprint: str
    not_before: datetime
    not_after: datetime

    def __repr__(self) -> str:
        return f"Checked(fingerprint={self.fingerprint!r})"


def check(
    key: str | None, cert: str | None, intermediates: Sequence[str], now: datetime, *, rsa_header: bool
) -> tuple[Checked | None, FieldErrors]:
    """What can be served, or all that is wrong. A field that is None was refused before."""
    errors: FieldErrors = {}
    if fault := _too_large(key, cert, intermediates):
        return None, _fault("cert", fault)
    private = None
    with _told(errors, "key"):
        private = None if key is None else keys.read_key(key, rsa_header=rsa_header)
    inside = _read_each(errors, {} if cert is None else {"cert": cert})
    beside = _read_each(errors, {f"intermediates[{place}]": text for place, text in enumerate(intermediates)})
    if fault := _too_many(len(inside) + len(beside)):
        return None, _fault("cert", fault)
    if not inside:
        return None, errors
    chain, broken = _chain(inside[0].certificate, beside or inside[1:], now)
    errors |= broken | _faults_of_leaf([each.certificate for each in inside], private, now)
    if errors or private is None:
        return None, errors
    return _served(private, chain)


@contextmanager
def _told(errors: FieldErrors, field: str) -> Iterator[None]:
    try:
        yield
    except Fault as fault:
        errors |= _fault(field, str(fault))


def _read_each(errors: FieldErrors, texts: Mapping[str, str]) -> list[Sent]:
    sent: list[Sent] = []
    for field, text in texts.items():
        with _told(errors, field):
            sent += [Sent(field, each) for each in chains.read_certificates(text)]
    return sent


def _fault(field: str, words: str) -> FieldErrors:
    return {field: {field_code(field.partition("[")[0]): words}}


def _too_large(key: str | None, cert: str | None, intermediates: Sequence[str]) -> str | None:
    size = sum(len(text.encode()) for text in (key or "", cert or "", *intermediates))
    if size <= MOST_BYTES:
        return None
    return (
        f"may hold at most 64 KiB together with key and intermediates; these hold {size // 1024 + 1} KiB."
        " Send the certificate and those that vouch for it, and nothing else"
    )


def _too_many(count: int) -> str | None:
    if count <= MOST_CERTIFICATES:
        return None
    return (
        f"may come with at most {MOST_CERTIFICATES} certificates in all; these are {count}."
        " Send those that vouch for it, and no others"
    )


def _faults_of_leaf(inside: Sequence[Certificate], private: PrivateKey | None, now: datetime) -> FieldErrors:
    leaf = inside[0]
    if private is not None and not _fit(private, leaf):
        other = next((place for place, each in enumerate(inside, 1) if _fit(private, each)), None)
        if other is None:
            return _fault("key", "does not belong to the certificate. Send the key that the certificate was made for")
        return _fault("cert", f"must begin with the certificate of the key, which is number {other}. Put it first")
    if fault := chains.fault_in_dates(leaf, now):
        return _fault("cert", fault)
    if not names.names_in(leaf):
        return _fault("cert", "names no host at all. Order one that names the domain")
    return {}


def _fit(private: PrivateKey, certificate: Certificate) -> bool:
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    return private.public_key().public_bytes(*form) == certificate.public_key().public_bytes(*form)


def _chain(leaf: Certificate, others: Sequence[Sent], now: datetime) -> tuple[list[Certificate], FieldErrors]:
    try:
        chain = chains.in_order(leaf, others)
    except BrokenChain as broken:
        return [], _fault(broken.field, str(broken))
    fields = {each.certificate: each.field for each in others}
    for each in chain[1:]:
        fault = chains.fault_in_dates(each, now)
        if fault and not chains.is_self_issued(each):  # browsers have their own copy of a root
            return [], _fault(fields[each], fault)
    return chain, {}


def _served(private: PrivateKey, chain: list[Certificate]) -> tuple[Checked | None, FieldErrors]:
    leaf = chain[0]
    checked = Checked(
        chain=chains.pem_of(chain),
        key=keys.pem_of(private),
        key_type=keys.type_of(private),
        names=names.names_in(leaf),
        fingerprint=leaf.fingerprint(SHA256()).hex(),
        not_before=leaf.not_valid_before_utc,
        not_after=leaf.not_valid_after_utc,
    )
    reason = _refused_by_openssl(checked)
    if reason is not None:
        return None, _fault("cert", f"cannot be served: the TLS library refuses it ({reason}). Order another one")
    return checked, {}


def _refused_by_openssl(checked: Checked) -> str | None:
    """It has rules of its own, on signatures for example."""
    try:
        server_context(checked.chain.encode(), checked.key)
    except ssl.SSLError as error:
        return str(error.reason or "no reason given").lower().replace("_", " ")
    return None
