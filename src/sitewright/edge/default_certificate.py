"""The certificate for names that have none: self-made, trusted by nobody, and each node's own.

It keeps a visitor of an unmapped name from seeing another customer's certificate, and lets the handshake come to an
end, so that there is an answer.
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
VALID, LEFT = timedelta(days=3650), timedelta(days=30)


def default_certificate(data_path: Path) -> tuple[bytes, bytes]:
    """Chain and key as PEM, from the data folder; made where there is none, or where it has had its time."""
    path = data_path / FILE
    for _ in range(2):
        try:
            return _read(path)
        except (OSError, ValueError):
            _write(path, b"".join(self_made()))
    return _read(path)


def self_made() -> tuple[bytes, bytes]:
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
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return certificate.public_bytes(encoding), key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)


def _read(path: Path) -> tuple[bytes, bytes]:
    """Raises ValueError when it is of no use any more, or when others could have read its key."""
    pem = path.read_bytes()
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ValueError("others can read it")
    certificate = x509.load_pem_x509_certificate(pem)
    if certificate.not_valid_after_utc < clock.real_now() + LEFT:
        raise ValueError("it has had its time")
    serialization.load_pem_private_key(pem[pem.find(b"-----BEGIN PRIVATE") :], None)
    return certificate.public_bytes(serialization.Encoding.PEM), pem[pem.find(b"-----BEGIN PRIVATE") :]


def _write(path: Path, pem: bytes) -> None:
    """Whole or not at all; of several that start together, the last one's stays, and any is as good."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    Path(name).replace(path)
