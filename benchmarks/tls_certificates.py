"""Certificates for measurements, inserted into the service's database as the API would store them."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeAlias

import asyncpg
import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from benchmarks.figures import MeasurementFailed
from benchmarks.service import Service
from sitewright.domains.certificates.service import key_context
from sitewright.kit import clock
from sitewright.kit.sealing import load_sealer

BRAND = 1
PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
KEYS: dict[str, Callable[[], PrivateKey]] = {
    "EC P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "RSA 2048": lambda: rsa.generate_private_key(65537, 2048),
}


class Made(msgspec.Struct, frozen=True):
    """Chain and key as PEM."""

    chain: bytes
    key: bytes

    @property
    def leaf_and_above(self) -> tuple[bytes, bytes]:
        leaf, begin, above = self.chain.rpartition(b"-----BEGIN CERTIFICATE")
        return leaf, begin + above


def make(kind: str, host: str) -> Made:
    """The leaf and one issuing authority, as in most chains."""
    authority_key, key = KEYS[kind](), KEYS[kind]()
    above, own = _name("Authority of the benchmark"), _name(host)
    authority = _signed(x509.CertificateBuilder().public_key(authority_key.public_key()), above, above, authority_key)
    leaf = _signed(x509.CertificateBuilder().public_key(key.public_key()), own, above, authority_key)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    chain = leaf.public_bytes(pem) + authority.public_bytes(pem)
    return Made(chain, key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _signed(
    builder: x509.CertificateBuilder,
    subject: x509.Name,
    issuer: x509.Name,
    key: PrivateKey,
) -> x509.Certificate:
    now = clock.real_now()
    dated = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=30))
    named = dated.subject_name(subject).issuer_name(issuer).serial_number(x509.random_serial_number())
    return named.sign(key, hashes.SHA256())


async def bind(
    service: Service, made: Made, hosts: Sequence[str], *, are_mapped: bool = False, source: str = "uploaded"
) -> None:
    """Maps the hosts to the demo's site, unless they are mapped already, and binds a certificate to each."""
    sealer, at = load_sealer("", service.folder), clock.real_now()
    sealed = [sealer.seal(made.key, key_context(BRAND, host)) for host in hosts]
    owner = await asyncpg.connect(service.database_url)
    try:
        if not are_mapped:
            await owner.execute(MAPPED, BRAND, service.brand(BRAND)["demoUser"]["siteRef"], hosts, at)
        bound = await owner.execute(BOUND, BRAND, hosts, sealed, made.chain.decode(), at, source)
        await owner.execute("vacuum analyze site_domains, certificates, certificate_bindings")
    finally:
        await owner.close()
    if bound != f"INSERT 0 {len(hosts)}":
        raise MeasurementFailed(f"not every certificate was bound: {bound}")


MAPPED = "insert into site_domains (brand_ref, site_ref, domain, created_at) select $1, $2, unnest($3::text[]), $4"
BOUND = """
    with put as (
        insert into certificates (brand_ref, domain, chain, sealed_key, key_type, names, fingerprint, not_before,
                                  not_after, created_at, source)
        select $1, host, $4, sealed, '', array[host], '', $5::timestamptz - interval '1 day',
               $5 + interval '30 days', $5, $6
          from unnest($2::text[], $3::bytea[]) x (host, sealed)
        returning domain, ref)
    insert into certificate_bindings (brand_ref, domain, certificate_ref) select $1, domain, ref from put
"""
