"""What the published addresses answer: to the probe of the challenge path, over TLS, and on the way of redirects."""

import asyncio
import ssl
from collections.abc import Sequence
from functools import cache
from urllib.parse import SplitResult, urljoin, urlsplit

from cryptography import x509
from cryptography.x509.oid import NameOID

from sitewright.domains.health.facts import Certificate, CertificateProblem, Challenge, Https, Redirects
from sitewright.domains.health.observing.http import NoRoute, Response, Unreached, request
from sitewright.domains.health.subjects import Here
from sitewright.kit import challenge_probe
from sitewright.kit.dns.client import Lookups
from sitewright.kit.sealing import Sealer

MAX_ADDRESSES = 8
MAX_REDIRECTS = 8
REDIRECTS = (301, 302, 303, 307, 308)
EXPIRED, NOT_YET_VALID, OTHER_NAME = 10, 9, 62
"""Codes of OpenSSL."""


async def probe_challenges(
    lookups: Lookups, sealer: Sealer, here: Here, host: str, addresses: Sequence[str]
) -> tuple[Challenge, ...]:
    """Through every address that may be probed."""
    probes = (_probe_challenge(lookups, sealer, here, host, each) for each in addresses[:MAX_ADDRESSES])
    return tuple(await asyncio.gather(*probes))


async def _probe_challenge(lookups: Lookups, sealer: Sealer, here: Here, host: str, address: str) -> Challenge:
    if not here.may_probe(address):
        return Challenge(address, "private")
    nonce = challenge_probe.new_nonce()
    try:
        response = await request(lookups, address, here.port, host, challenge_probe.PATH + nonce, method="GET")
    except NoRoute as error:
        return Challenge(address, "noRoute", str(error))
    except Unreached as error:
        return Challenge(address, "unreached", str(error))
    if response.status == 200 and challenge_probe.is_answer(sealer, host, nonce, response.body):
        return Challenge(address, "ours")
    return Challenge(address, "other", _described(response))


def _described(response: Response) -> str:
    location = response.headers.get("location", "")[:200]
    return f"HTTP {response.status} {location}".strip()


async def probe_https(lookups: Lookups, here: Here, host: str, address: str, ca_file: str) -> Https:
    """With verification as in a browser; if that fails, once more without, to say what is wrong."""
    problem: int | None = None
    try:
        response = await _request_https(lookups, here, host, address, verifying_context(ca_file))
    except ssl.SSLCertVerificationError as error:
        problem = error.verify_code
        try:
            response = await _request_https(lookups, here, host, address, _unverifying_context())
        except Unreached as unreached:
            return Https(error=str(unreached))
    except Unreached as error:
        return Https(error=str(error))
    certificate = _read_certificate(response.peer_certificate or b"", problem)
    return Https(certificate, response.headers.get("strict-transport-security"))


async def _request_https(lookups: Lookups, here: Here, host: str, address: str, tls: ssl.SSLContext) -> Response:
    return await request(lookups, address, here.tls_port, host, "/", method="HEAD", tls=tls)


@cache
def verifying_context(ca_file: str) -> ssl.SSLContext:
    """Trusts what the machine trusts, and the authorities of a file."""
    context = ssl.create_default_context()
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    return context


@cache
def _unverifying_context() -> ssl.SSLContext:
    """Only for reading a certificate that was refused, and for following redirects: nothing secret is sent."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _read_certificate(der: bytes, problem: int | None) -> Certificate | None:
    try:
        found = x509.load_der_x509_certificate(der)
        names = _names_in(found)
    except ValueError:
        return None
    return Certificate(names, found.not_valid_before_utc, found.not_valid_after_utc, _problem(problem))


def _problem(code: int | None) -> CertificateProblem | None:
    known: dict[int, CertificateProblem] = {EXPIRED: "expired", NOT_YET_VALID: "notYetValid", OTHER_NAME: "otherName"}
    return None if code is None else known.get(code, "untrusted")


def _names_in(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return tuple(str(each.value) for each in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME))
    return tuple(names.get_values_for_type(x509.DNSName))


async def follow_redirects(lookups: Lookups, here: Here, addresses: dict[str, str]) -> Redirects:
    """From http on, as long as redirects stay on hosts that lead here; `addresses` has one of each host, the first host
    being the one that is checked."""
    url = f"http://{next(iter(addresses))}/"
    chain: list[str] = []
    while url not in chain and len(chain) < MAX_REDIRECTS:
        chain.append(url)
        parts = urlsplit(url)
        host = parts.hostname or ""
        if host not in addresses or not _is_public_port(parts, here):
            return Redirects("ends", tuple(chain))
        try:
            response = await _request_step(lookups, here, addresses[host], host, parts)
        except Unreached:
            return Redirects("unreached", tuple(chain))
        location = response.headers.get("location", "")
        if response.status not in REDIRECTS or not location.isascii() or not location:
            return Redirects("ends", tuple(chain))
        try:
            url = urljoin(url, location[:2000])
            _ = urlsplit(url).port
        except ValueError:
            return Redirects("ends", tuple(chain))
    return Redirects("loop", (*chain, url))


def _is_public_port(parts: SplitResult, here: Here) -> bool:
    is_known = parts.port in (None, 80, 443, here.port, here.tls_port)
    return is_known and parts.scheme in ("http", "https")


async def _request_step(lookups: Lookups, here: Here, address: str, host: str, parts: SplitResult) -> Response:
    is_tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    path = path if path.isascii() and path.isprintable() and " " not in path else "/"
    return await request(
        lookups,
        address,
        here.tls_port if is_tls else here.port,
        host,
        path,
        method="HEAD",
        tls=_unverifying_context() if is_tls else None,
    )
