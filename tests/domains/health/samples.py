"""Facts about a healthy host, with which tests of single checks begin."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from sitewright.domains.health.facts import (
    Addresses,
    Certificate,
    Challenge,
    Dnssec,
    Facts,
    Https,
    MailRecords,
    Redirects,
    Sibling,
)
from sitewright.domains.health.subjects import Here, Registration, Subject
from sitewright.kit.dns.delegation import NameServer, Zone
from sitewright.kit.dns.results import Answer, Outcome, unavailable
from sitewright.kit.dns.servers import Server

HOST = "bakery.example"
OURS, OURS_6 = "198.51.100.7", "2001:db8::7"
ELSEWHERE, ELSEWHERE_6 = "93.184.215.14", "2606:2800:21f::1"
AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
HERE = Here(ipv4=(OURS,), ipv6=(OURS_6,), mail_host="mail.host.example", authorities=("letsencrypt.org",))


def found(kind: str, *values: str, name: str = HOST, **more: Any) -> Answer:
    known: dict[str, Any] = {"ttl": 300} | more
    return Answer(name=name, kind=kind, outcome=Outcome.FOUND, values=values, **known)


def empty(kind: str, name: str = HOST) -> Answer:
    return Answer(name=name, kind=kind, outcome=Outcome.EMPTY)


def missing(kind: str, name: str = HOST) -> Answer:
    return Answer(name=name, kind=kind, outcome=Outcome.MISSING)


def silent(kind: str, name: str = HOST) -> Answer:
    return unavailable(name, kind, "timeout")


def alias(kind: str, target: str, *values: str) -> Answer:
    return msgspec.structs.replace(found(kind, *values), aliases=(target,))


def ipv4(*values: str) -> Addresses:
    return Addresses(found("A", *values) if values else empty("A"))


def ipv6(*values: str) -> Addresses:
    return Addresses(found("AAAA", *values) if values else empty("AAAA"))


def zone(*names: str, name: str = HOST) -> Zone:
    servers = tuple(NameServer(each, (Server("198.51.100.53"),)) for each in names)
    return Zone(name, found("NS", *names, name=name), servers)


def certificate(
    problem: Any = None, *, days_left: float = 60, lifetime: float = 90, names: tuple[str, ...] = (HOST,)
) -> Https:
    ends = AT + timedelta(days=days_left)
    return Https(Certificate(names, ends - timedelta(days=lifetime), ends, problem))


def registration(status: str = "active", days_left: int = 200, **more: Any) -> Registration:
    known: dict[str, Any] = {"ref": 1, "domain": HOST, "renews": True, "has_mailboxes": False} | more
    return Registration(status=status, ends_at=AT + timedelta(days=days_left), **known)


SUBJECT = Subject(
    host=HOST, brand_ref=1, domain_ref=5, site_ref=6, user_ref=7, protocol="https", sibling_is_mapped=True
)
SIBLING = Sibling(f"www.{HOST}", found("A", OURS), empty("AAAA"))
MAIL = MailRecords(
    HOST,
    found("MX", "10 mail.host.example"),
    found("TXT", "v=spf1 a:mail.host.example ~all", "site-verification=1"),
    found("TXT", "v=DMARC1; p=quarantine", name=f"_dmarc.{HOST}"),
    found("TXT", "v=DKIM1; k=rsa; p=AAAA", name=f"s1._domainkey.{HOST}"),
    "v=DKIM1; k=rsa; p=AAAA",
)
HEALTHY = Facts(
    subject=SUBJECT,
    here=HERE,
    at=AT,
    now=AT,
    registered=found("SOA", "ns1.dns.example"),
    zone=zone("ns1.dns.example", "ns2.dns.example"),
    server_states={"ns1.dns.example": "answers", "ns2.dns.example": "answers"},
    ipv4=ipv4(OURS),
    ipv6=ipv6(OURS_6),
    caa=empty("CAA"),
    sibling=SIBLING,
    challenges=(Challenge(OURS, "ours"), Challenge(OURS_6, "ours")),
    redirects=Redirects("ends", (f"http://{HOST}/", f"https://{HOST}/")),
    https=certificate(),
    mail=MAIL,
    dnssec=Dnssec(HOST, "intact", "DS, DNSKEY, RRSIG"),
)


def facts(**changes: Any) -> Facts:
    return msgspec.structs.replace(HEALTHY, **changes)


def subject(**changes: Any) -> Subject:
    return msgspec.structs.replace(SUBJECT, **changes)


def here(**changes: Any) -> Here:
    return msgspec.structs.replace(HERE, **changes)


def mail(**changes: Any) -> MailRecords:
    return msgspec.structs.replace(MAIL, **changes)
