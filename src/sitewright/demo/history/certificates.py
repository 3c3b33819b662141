"""Certificates of customers' own domains with various days left, self-signed: nobody can visit these domains."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from sitewright.domains.certificates import service as certificates
from sitewright.domains.certificates.service import ValidCertificate
from sitewright.kit import clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources

DAYS_LEFT = (-2, 1, 4, 6, 9, 12, 18, 24, 29, 33, 38, 41, 47, 52, 55, 58, 63, 66, 71, 74, 78, 81, 84, 88)
LIFETIME = timedelta(days=90)


async def put_certificates(
    tx: Transaction, resources: Resources, caller: Caller, brand_ref: int, hosts: Sequence[str]
) -> None:
    """One for each of the first hosts. They share a key, since each key takes time to make."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = clock.real_now().replace(microsecond=0)
    targets = await certificates.find_hosts(tx, brand_ref, hosts[: len(DAYS_LEFT)])
    for target, days in zip(targets, DAYS_LEFT, strict=False):
        certificate = _self_signed(key, target.name, now + timedelta(days=days, hours=5))
        await certificates.put_certificate(tx, resources.sealer, caller, certificate, [target])


def _self_signed(key: ec.EllipticCurvePrivateKey, host: str, not_after: datetime) -> ValidCertificate:
    name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Sitewright demo")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(not_after - LIFETIME)
        .not_valid_after(not_after)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, SHA256())
    )
    return ValidCertificate(
        chain=certificate.public_bytes(Encoding.PEM).decode(),
        key=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        key_type="EC P-256",
        names=[host],
        fingerprint=certificate.fingerprint(SHA256()).hex(),
        not_before=certificate.not_valid_before_utc,
        not_after=certificate.not_valid_after_utc,
    )
