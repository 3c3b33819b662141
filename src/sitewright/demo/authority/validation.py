"""http-01 and dns-01 (RFC 8555, 8.3 and 8.4): the authority really asks the host or its name server."""

import hashlib

import aiohttp
import dns.asyncquery
import dns.exception
import dns.message
import dns.name
import dns.rdatatype
import dns.rdtypes.txtbase
import msgspec

from sitewright.demo.authority.jose import encode
from sitewright.demo.authority.problems import AcmeProblem, unauthorized

SECONDS = 5.0
MAX_BYTES = 4096


class Network(msgspec.Struct, frozen=True):
    """How the authority reaches what it validates."""

    resolver: str | None
    """address:port; None: every host is at `loopback`, and dns-01 is impossible."""
    http_port: int = 80
    loopback: str = "127.0.0.1"


async def validate_http(network: Network, session: aiohttp.ClientSession, host: str, token: str, expected: str) -> None:
    """Raises `AcmeProblem` unless the host serves the key authorization. Redirects are not followed."""
    address = await _address(network, host)
    target = f"[{address}]" if ":" in address else address
    url = f"http://{target}:{network.http_port}/.well-known/acme-challenge/{token}"
    try:
        async with session.get(url, headers={"Host": host}, allow_redirects=False) as response:
            body = (await response.content.read(MAX_BYTES)).rstrip()
            status = response.status
    except (aiohttp.ClientError, OSError) as error:
        raise AcmeProblem("connection", f"{address} port {network.http_port} of {host}: {error}") from error
    if status != 200 or body != expected.encode():
        raise unauthorized(f"{address} port {network.http_port} of {host} returned {status} and another content")


async def validate_dns(network: Network, host: str, expected: str) -> None:
    """Raises `AcmeProblem` unless one of the TXT records is the digest of the key authorization."""
    digest = encode(hashlib.sha256(expected.encode()).digest()).encode()
    name = f"_acme-challenge.{host}"
    if digest not in await _texts(network, name):
        raise unauthorized(f"no TXT record of {name} is the expected one")


async def _address(network: Network, host: str) -> str:
    """IPv6 goes first, as at public authorities."""
    if network.resolver is None:
        return network.loopback
    for rdtype in (dns.rdatatype.AAAA, dns.rdatatype.A):
        response = await _query(network.resolver, host, rdtype)
        found = [str(rdata.address) for rrset in response.answer if rrset.rdtype == rdtype for rdata in rrset]
        if found:
            return found[0]
    raise AcmeProblem("dns", f"{host} has no address")


async def _texts(network: Network, name: str) -> set[bytes]:
    if network.resolver is None:
        raise AcmeProblem("dns", "the authority has no resolver")
    response = await _query(network.resolver, name, dns.rdatatype.TXT)
    found = [rdata for rrset in response.answer for rdata in rrset]
    return {b"".join(rdata.strings) for rdata in found if isinstance(rdata, dns.rdtypes.txtbase.TXTBase)}


async def _query(resolver: str, name: str, rdtype: dns.rdatatype.RdataType) -> dns.message.Message:
    host, _, port = resolver.rpartition(":")
    query = dns.message.make_query(dns.name.from_text(name), rdtype, use_edns=0)
    try:
        response, _ = await dns.asyncquery.udp_with_fallback(query, host.strip("[]"), port=int(port), timeout=SECONDS)
    except (dns.exception.DNSException, OSError) as error:
        raise AcmeProblem("dns", f"{name}: {error}") from error
    return response
