"""Validates the chain of signatures of a zone, as far as the resolvers give it: DS of the parent, DNSKEY, RRSIG."""

import asyncio
from collections.abc import Sequence
from typing import Any

import dns.dnssec
import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
from dns.exception import DNSException

from sitewright.domains.health.facts import Dnssec
from sitewright.kit import clock
from sitewright.kit.dns.client import Lookups
from sitewright.kit.dns.servers import Server

SHA256 = "SHA256"
SEP = 1
"""The flag of keys that DS records name."""
MAX_KEYS, MAX_SIGNATURES = 16, 8
"""More of them in a zone are not verified: a hostile zone could occupy the processor for minutes."""


async def validate_zone(lookups: Lookups, zone: str, servers: Sequence[Server]) -> Dnssec:
    """`servers`: the authoritative ones, if they may be asked."""
    resolvers = lookups.servers.resolvers
    ds_response = await lookups.exchange(resolvers, zone, "DS", dnssec=True)
    delegated = _rrset(ds_response, zone, "DS")
    if not _is_definite(ds_response):
        return Dnssec(zone, "unknown", "DS")
    asked = list(servers) or resolvers
    key_response = await lookups.exchange(asked, zone, "DNSKEY", recursive=not servers, dnssec=True)
    if not _is_definite(key_response):
        return Dnssec(zone, "off") if delegated is None else Dnssec(zone, "unknown", "DNSKEY")
    keys = _rrset(key_response, zone, "DNSKEY")
    if max(len(keys or ()), len(delegated or ())) > MAX_KEYS:
        return Dnssec(zone, "excessive", "DNSKEY")
    if delegated is None:
        return Dnssec(zone, "off") if keys is None else Dnssec(zone, "noDs", "DNSKEY", _ds_of(zone, keys))
    if keys is None:
        return Dnssec(zone, "broken", "noKeys")
    soa_response = await lookups.exchange(asked, zone, "SOA", recursive=not servers, dnssec=True)
    return await _validate_in_thread(zone, delegated, keys, key_response, soa_response)


async def _validate_in_thread(
    zone: str, delegated: dns.rrset.RRset, keys: dns.rrset.RRset, key_response: Any, soa_response: Any
) -> Dnssec:
    """So that other requests do not wait for it."""
    signatures = _signatures(key_response, zone, "DNSKEY"), _signatures(soa_response, zone, "SOA")
    if any(len(each or ()) > MAX_SIGNATURES for each in signatures):
        return Dnssec(zone, "excessive", "RRSIG")
    return await asyncio.to_thread(_validate, zone, delegated, keys, _rrset(soa_response, zone, "SOA"), *signatures)


def _validate(
    zone: str,
    delegated: dns.rrset.RRset,
    keys: dns.rrset.RRset,
    soa: dns.rrset.RRset | None,
    signatures: dns.rrset.RRset | None,
    soa_signatures: dns.rrset.RRset | None,
) -> Dnssec:
    origin, now = dns.name.from_text(zone), clock.real_now().timestamp()
    ds = _ds_of(zone, keys)
    trusted = [key for key in keys if any(_matches(origin, key, each) for each in delegated)]
    if not trusted:
        return Dnssec(zone, "broken", "noMatchingKey", ds)
    if signatures is None:  # a resolver may have left them out
        return Dnssec(zone, "unknown", "RRSIG")
    try:
        anchors = dns.rrset.from_rdata_list(origin, keys.ttl, trusted)
        dns.dnssec.validate(keys, signatures, {origin: anchors}, now=now)
        if soa is not None and soa_signatures is None:
            return Dnssec(zone, "broken", "noSignature", ds)
        if soa is not None and soa_signatures is not None:
            dns.dnssec.validate(soa, soa_signatures, {origin: keys}, now=now)
    except dns.exception.UnsupportedAlgorithm:
        return Dnssec(zone, "unknown", "algorithm")
    except DNSException:
        return Dnssec(zone, "broken", "invalidSignature", ds)
    return Dnssec(zone, "intact", "DS, DNSKEY, RRSIG")


def _matches(origin: dns.name.Name, key: Any, ds: Any) -> bool:
    try:
        return bool(dns.dnssec.make_ds(origin, key, ds.digest_type, validating=True) == ds)
    except (DNSException, ValueError):
        return False


def _ds_of(zone: str, keys: dns.rrset.RRset) -> tuple[str, ...]:
    """The DS records to enter at the registrar."""
    origin = dns.name.from_text(zone)
    entries = [key for key in keys if key.flags & SEP] or list(keys)
    return tuple(dns.dnssec.make_ds(origin, key, SHA256).to_text() for key in entries)


def _is_definite(response: dns.message.Message | str) -> bool:
    return not isinstance(response, str) and response.rcode() in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN)


def _rrset(response: dns.message.Message | str, zone: str, kind: str) -> dns.rrset.RRset | None:
    return _find(response, zone, dns.rdatatype.from_text(kind), dns.rdatatype.NONE)


def _signatures(response: dns.message.Message | str, zone: str, kind: str) -> dns.rrset.RRset | None:
    return _find(response, zone, dns.rdatatype.RRSIG, dns.rdatatype.from_text(kind))


def _find(
    response: dns.message.Message | str, zone: str, kind: dns.rdatatype.RdataType, covers: dns.rdatatype.RdataType
) -> dns.rrset.RRset | None:
    if isinstance(response, str):
        return None
    origin = dns.name.from_text(zone)
    matching = (each for each in response.answer if each.name == origin and each.rdtype == kind)
    return next((each for each in matching if covers in (dns.rdatatype.NONE, each.covers)), None)
