"""The self-signed default certificate for names that have none, one for each node.

It keeps visitors of an unmapped name from seeing another customer's certificate, and completes the handshake so that an
HTTP response can be sent.
"""

import os
import stat
import tempfile
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from sitewright.kit import clock

FILE = "default-certificate.pem"
NAME = "default.invalid"
VALIDITY, RENEW_BEFORE = timedelta(days=3650), timedelta(days=30)


def default_certificate(data_path: Path) -> tuple[bytes, bytes]:
    """Return chain and key as PEM from the data folder; created when missing, invalid or about to expire."""
    path = data_path / FILE
    for _ in range(2):
        try:
            return _read(path)
        except (OSError, ValueError):
            _write(path, b"".join(self_signed()))
    return _read(path)


def self_signed() -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = clock.real_now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + VALIDITY)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return certificate.public_bytes(encoding), key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)


def _read(path: Path) -> tuple[bytes, bytes]:
    """Raise ValueError when it is invalid, about to expire, or when other users could have read its key."""
    pem = path.read_bytes()
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ValueError("others can read it")
    certificate = x509.load_pem_x509_certificate(pem)
    if certificate.not_valid_after_utc < clock.real_now() + RENEW_BEFORE:
        raise ValueError("it expires soon")
    serialization.load_pem_private_key(pem[pem.find(b"-----BEGIN PRIVATE") :], None)
    return certificate.public_bytes(serialization.Encoding.PEM), pem[pem.find(b"-----BEGIN PRIVATE") :]


def _write(path: Path, pem: bytes) -> None:
    """Write atomically; of several processes that start together the last one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    Path(name).replace(path)
