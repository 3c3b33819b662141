"""Generated certificates as customers upload them. Keys are generated once per session, since RSA keys take long."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from math import gcd
from typing import Any

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.x509.oid import NameOID

from sitewright.domains.certificates.service import key_context
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection, insert

DAY = timedelta(days=1)
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


@cache
def private_key(kind: str = "ec", number: int = 0) -> Any:
    """A kind is one of `make` below (`ec` is P-256, `rsa` 2048 bits); `number` distinguishes several of one kind."""
    make = {
        "ec": lambda: ec.generate_private_key(ec.SECP256R1()),
        "p384": lambda: ec.generate_private_key(ec.SECP384R1()),
        "p521": lambda: ec.generate_private_key(ec.SECP521R1()),
        "rsa": lambda: rsa.generate_private_key(65537, 2048),
        "rsa1024": lambda: rsa.generate_private_key(65537, 1024),  # noqa: S505 - it is there to be refused
        "rsa4104": _large_rsa,
        "rsa-exponent": _rsa_with_large_exponent,
        "dsa": lambda: dsa.generate_private_key(1024),  # noqa: S505
        "ed25519": ed25519.Ed25519PrivateKey.generate,
    }
    return make[kind]()


def _large_rsa() -> rsa.RSAPrivateKey:
    """4104 bits and invalid: its size is checked first, and real primes of this size take seconds to find."""
    p, q = (3 << 2051) + 1, (3 << 2049) + 1
    public = rsa.RSAPublicNumbers(65537, p * q)
    return rsa.RSAPrivateNumbers(p, q, 3, 3, 3, 3, public).private_key(unsafe_skip_rsa_key_validation=True)


def _rsa_with_large_exponent() -> rsa.RSAPrivateKey:
    """A valid key of 2048 bits with a chosen private exponent, so that the public one is as long as the modulus."""
    key = private_key("rsa").private_numbers()
    order = (key.p - 1) * (key.q - 1)
    d = next(d for d in range(order - (1 << 1000) - 1, 0, -2) if gcd(d, order) == 1)
    public = rsa.RSAPublicNumbers(pow(d, -1, order), key.public_numbers.n)
    exponents = rsa.rsa_crt_dmp1(d, key.p), rsa.rsa_crt_dmq1(d, key.q)
    return rsa.RSAPrivateNumbers(key.p, key.q, d, *exponents, key.iqmp, public).private_key()


class Issued(msgspec.Struct, frozen=True):
    """A certificate, its key, and its issuers without the root, nearest first."""

    certificate: x509.Certificate
    private_key: Any
    intermediates: list[x509.Certificate] = []

    @property
    def key(self) -> str:
        return key_pem(self.private_key)

    @property
    def cert(self) -> str:
        """The leaf only."""
        return pem(self.certificate)

    @property
    def chain(self) -> str:
        """The leaf and its intermediates."""
        return pem(self.certificate, *self.intermediates)

    @property
    def not_after(self) -> datetime:
        return self.certificate.not_valid_after_utc


class Authority(msgspec.Struct, frozen=True):
    """A certificate authority: a root, or an intermediate."""

    certificate: x509.Certificate
    private_key: Any
    above: list[x509.Certificate] = []
    """The intermediates of its chain, including itself if it is one."""

    def issue(self, *names: str, kind: str = "ec", number: int = 0, **options: Any) -> Issued:
        """A certificate for `names`; see `build` for `options`."""
        key = private_key(kind, number)
        made = build(key.public_key(), names, self.certificate.subject, self.private_key, **options)
        return Issued(made, key, self.above)

    def intermediate(self, name: str, number: int = 1, **options: Any) -> "Authority":
        key, issuer = private_key("ec", 1000 + number), self.certificate.subject
        made = build(key.public_key(), [], issuer, self.private_key, title=name, is_authority=True, **options)
        return Authority(made, key, [made, *self.above])


@cache
def authority(name: str = "Test root", number: int = 0) -> Authority:
    key = private_key("ec", 500 + number)
    title = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    return Authority(build(key.public_key(), [], title, key, title=name, is_authority=True), key)


@cache
def intermediate(name: str = "Test intermediate", number: int = 1) -> Authority:
    return authority().intermediate(name, number)


def build(
    public_key: Any,
    names: Sequence[str],
    issuer: x509.Name,
    signing_key: Any,
    *,
    title: str = "",
    is_authority: bool = False,
    begins: timedelta = -90 * DAY,
    ends: timedelta = 90 * DAY,
) -> x509.Certificate:
    """Valid from now + `begins` to now + `ends`; its common name is `title`, else the first name."""
    now = clock.real_now()
    common_name = title or names[0]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name[:64])])
    builder = x509.CertificateBuilder(
        issuer, subject, public_key, x509.random_serial_number(), now + begins, now + ends
    )
    builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    # From Python 3.13 on, clients verify strictly: both key identifiers, and the key usage of an authority.
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), False)
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key())
    builder = builder.add_extension(issuer_key, False)
    if is_authority:
        builder = builder.add_extension(SIGNS_CERTIFICATES, critical=True)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(each) for each in names]), False)
    algorithm = None if isinstance(signing_key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return builder.sign(signing_key, algorithm)


def certificate_for(*names: str, **options: Any) -> Issued:
    """The usual case: an EC key, an intermediate between it and the root, valid for 90 days more."""
    return intermediate().issue(*names, **options)


def expired(*names: str, **options: Any) -> Issued:
    return certificate_for(*names, begins=-90 * DAY, ends=-DAY, **options)


def not_yet_valid(*names: str, **options: Any) -> Issued:
    return certificate_for(*names, begins=DAY, ends=90 * DAY, **options)


def pem(*certificates: x509.Certificate) -> str:
    return "".join(each.public_bytes(serialization.Encoding.PEM).decode() for each in certificates)


def key_pem(key: Any, form: str = "PKCS8", password: bytes | None = None) -> str:
    """In the form `PKCS8` (BEGIN PRIVATE KEY) or `TraditionalOpenSSL` (BEGIN RSA PRIVATE KEY, BEGIN EC PRIVATE KEY)."""
    encryption = serialization.NoEncryption() if password is None else serialization.BestAvailableEncryption(password)
    made: bytes = key.private_bytes(serialization.Encoding.PEM, getattr(serialization.PrivateFormat, form), encryption)
    return made.decode()


async def make_certificate(
    owner: OwnerConnection, resources: Resources, brand_ref: int, issued: Issued, *domains: str, **columns: Any
) -> int:
    """Stored and bound to `domains` by SQL, for tests about something else; `columns` are those of the table."""
    row: dict[str, Any] = {
        "brand_ref": brand_ref,
        "domain": domains[0],
        "chain": issued.chain,
        "sealed_key": resources.sealer.seal(issued.key.encode(), key_context(brand_ref, domains[0])),
        "key_type": "EC P-256",
        "names": list(domains),
        "fingerprint": issued.certificate.fingerprint(hashes.SHA256()).hex(),
        "not_before": issued.certificate.not_valid_before_utc,
        "not_after": issued.not_after,
        "created_at": clock.real_now(),
    } | columns
    ref = await insert(owner, "certificates", row)
    for domain in domains:
        await owner.execute("insert into certificate_bindings values ($1, $2, $3)", brand_ref, domain, ref)
    return ref
