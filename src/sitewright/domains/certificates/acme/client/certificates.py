"""Keys, requests and identifiers of certificates, as ACME needs them."""

from collections.abc import Sequence

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509 import AuthorityKeyIdentifier, ExtensionNotFound

from sitewright.domains.certificates.acme.client.jws import base64url


def new_key() -> bytes:
    """A P-256 key as PEM."""
    private = ec.generate_private_key(ec.SECP256R1())
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def signing_request(key: bytes, names: Sequence[str]) -> bytes:
    """For these names, as DER. Without a common name, which browsers ignore and which is limited to 64 characters."""
    private = load_pem_private_key(key, None)
    alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    builder = x509.CertificateSigningRequestBuilder(x509.Name([])).add_extension(alternatives, critical=False)
    return builder.sign(private, SHA256()).public_bytes(Encoding.DER)  # type: ignore[arg-type]  # it is an EC key


def certificate_id(chain: str) -> str | None:
    """How renewal information names a certificate (RFC 9773): the issuer's key identifier and the serial number."""
    leaf = x509.load_pem_x509_certificate(chain.encode())
    try:
        issuer = leaf.extensions.get_extension_for_class(AuthorityKeyIdentifier).value.key_identifier
    except ExtensionNotFound:
        return None
    serial = leaf.serial_number
    if issuer is None:
        return None
    return f"{base64url(issuer)}.{base64url(serial.to_bytes(serial.bit_length() // 8 + 1, 'big'))}"
