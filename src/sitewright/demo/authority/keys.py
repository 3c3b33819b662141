"""The authority's root and intermediate, created once per folder, and certificates signed by them."""

import ipaddress
import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sitewright.demo.authority.jose import PublicKey, encode
from sitewright.kit import clock
from sitewright.kit.atomic_files import replacing

BACKDATED = timedelta(hours=1)
AUTHORITY_LIFETIME = timedelta(days=3650)
OWN_LIFETIME = timedelta(days=365)
SIGNS_CERTIFICATES = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


class Pair(msgspec.Struct, frozen=True):
    """A certificate with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def chain(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        form = serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


class Keys(msgspec.Struct, frozen=True):
    root: Pair
    intermediate: Pair
    ca_file: Path
    """The root, for clients that shall trust the authority."""

    def own_certificate(self, address: str, name: str | None = None) -> Pair:
        """For the authority's own TLS listener."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.IPAddress(ipaddress.ip_address(address)), x509.DNSName(name or "localhost")]
        now = clock.real_now()
        return Pair(_sign("localhost", key.public_key(), self.root, names, now, OWN_LIFETIME), key)

    def issue(self, key: PublicKey, names: Sequence[str], now: datetime, lifetime: timedelta) -> x509.Certificate:
        return _sign("", key, self.intermediate, [x509.DNSName(name) for name in names], now, lifetime)


def open_keys(folder: Path) -> Keys:
    """The keys of the folder; they are created where they are missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = _open(folder / "root.key.pem", "Sitewright demo root", None)
    intermediate = _open(folder / "intermediate.key.pem", "Sitewright demo authority", root)
    ca_file = folder / "root.pem"
    if not ca_file.exists():
        with replacing(ca_file, mode=0o644) as file:
            file.write(root.chain)
    return Keys(root, intermediate, ca_file)


def _open(file: Path, title: str, issuer: Pair | None) -> Pair:
    if not file.exists():
        made = _authority(title, issuer)
        with replacing(file) as opened:
            opened.write(made.key_pem + made.chain)
    pem = file.read_bytes()
    key = serialization.load_pem_private_key(pem, password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)  # noqa: S101 - it is the one written above
    return Pair(x509.load_pem_x509_certificate(pem), key)


def _authority(title: str, issuer: Pair | None) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{title} {os.urandom(3).hex()}")])
    now = clock.real_now() - BACKDATED
    signer = key if issuer is None else issuer.key
    builder = x509.CertificateBuilder(
        name if issuer is None else issuer.certificate.subject,
        name,
        key.public_key(),
        x509.random_serial_number(),
        now,
        now + AUTHORITY_LIFETIME,
    )
    builder = builder.add_extension(x509.BasicConstraints(True, None), critical=True)
    builder = builder.add_extension(SIGNS_CERTIFICATES, critical=True)
    builder = _identified(builder, key.public_key(), signer.public_key())
    return Pair(builder.sign(signer, hashes.SHA256()), key)


def _sign(
    title: str, key: PublicKey, issuer: Pair, names: Sequence[x509.GeneralName], now: datetime, lifetime: timedelta
) -> x509.Certificate:
    begins = (now - BACKDATED).replace(microsecond=0)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title)] if title else [])
    builder = x509.CertificateBuilder(
        issuer.certificate.subject, subject, key, x509.random_serial_number(), begins, begins + lifetime
    )
    builder = builder.add_extension(x509.BasicConstraints(False, None), critical=True)
    builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=not title)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    return _identified(builder, key, issuer.key.public_key()).sign(issuer.key, hashes.SHA256())


def _identified(
    builder: x509.CertificateBuilder, key: PublicKey, issuer: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    return builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), critical=False)


def ari_identifier(certificate: x509.Certificate) -> str:
    """RFC 9773, 4.1: the issuer's key identifier and the serial number as its DER bytes."""
    extension = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier)
    serial = certificate.serial_number
    digits = serial.to_bytes(serial.bit_length() // 8 + 1, "big")
    return f"{encode(extension.value.key_identifier or b'')}.{encode(digits)}"
