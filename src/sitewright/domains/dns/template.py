"""The template: the service-managed records that every zone has."""

import hashlib
from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

import msgspec

from sitewright.domains.dns.rrsets import Key, RRset, rrset
from sitewright.settings import Settings

VERSION = "1"
"""Raised when the template itself changes, so that zones follow it."""
TTL = 3600
NAME_SERVER_TTL = 86400
SOA_TIMES = "10800 3600 1209600 3600"
NO_MAIL = "v=spf1 -all"
POWERDNS = "powerdns"
NAME_SERVERS = "ns"
"""The slot of the zone's own name servers, which nobody can take over."""
KNOWN_AUTHORITIES = {
    "letsencrypt.org": "letsencrypt.org",
    "pki.goog": "pki.goog",
    "zerossl.com": "sectigo.com",
    "sectigo.com": "sectigo.com",
    "buypass.com": "buypass.com",
    "buypass.no": "buypass.com",
    "ssl.com": "ssl.com",
    "digicert.com": "digicert.com",
    "globalsign.com": "globalsign.com",
    "actalis.it": "actalis.it",
}
"""The names that certificate authorities look for in CAA records, by the domain of their directory."""


class TemplateRecord(msgspec.Struct, frozen=True):
    slot: str
    """The part of the template that an account holder takes over as a whole."""
    type: str
    name: str
    value: str
    priority: int | None = None
    ttl: int = TTL


class DkimKey(msgspec.Struct, frozen=True):
    selector: str
    public_key: str
    """Base64 of its DER form."""


def template_of(
    settings: Settings, zone: str, provider: str, *, has_mail: bool, dkim: DkimKey | None
) -> list[TemplateRecord]:
    return [
        *(_name_servers(settings, zone) if provider == POWERDNS else ()),
        *_addresses(settings, zone),
        *(_mail(settings, zone, dkim) if has_mail else _no_mail(zone)),
        *_authorities(settings, zone),
    ]


def digest_of(settings: Settings, provider: str) -> str:
    """Changes when the template does, apart from what concerns a single domain."""
    parts = [VERSION, provider, settings.mail_host, str(settings.dns_dnssec), *settings.dns_nameservers]
    parts += ["", *settings.site_addresses, "", *caa_identities(settings)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _name_servers(settings: Settings, zone: str) -> Iterator[TemplateRecord]:
    """Only where the service creates the zone; one that exists already has its own."""
    for name in settings.dns_nameservers:
        yield TemplateRecord(NAME_SERVERS, "NS", zone, name.lower(), ttl=NAME_SERVER_TTL)


def _addresses(settings: Settings, zone: str) -> Iterator[TemplateRecord]:
    for address in settings.site_addresses:
        kind = "A" if ip_address(address).version == 4 else "AAAA"
        yield TemplateRecord(f"apex-{kind.lower()}", kind, zone, str(ip_address(address)))
    if settings.site_addresses:
        yield TemplateRecord("www", "CNAME", f"www.{zone}", zone)


def _mail(settings: Settings, zone: str, dkim: DkimKey | None) -> Iterator[TemplateRecord]:
    host = settings.mail_host.lower()
    yield TemplateRecord("mx", "MX", zone, host, 10)
    yield TemplateRecord("spf", "TXT", zone, "v=spf1 mx ~all")
    yield TemplateRecord("dmarc", "TXT", f"_dmarc.{zone}", "v=DMARC1; p=quarantine")
    yield TemplateRecord("autoconfig", "CNAME", f"autoconfig.{zone}", host)
    yield TemplateRecord("imap", "SRV", f"_imaps._tcp.{zone}", f"1 993 {host}", 0)
    yield TemplateRecord("submission", "SRV", f"_submissions._tcp.{zone}", f"1 465 {host}", 0)
    if dkim is not None:
        value = f"v=DKIM1; k=rsa; p={dkim.public_key}"
        yield TemplateRecord("dkim", "TXT", f"{dkim.selector}._domainkey.{zone}", value)


def _no_mail(zone: str) -> Iterator[TemplateRecord]:
    yield TemplateRecord("mx", "MX", zone, ".", 0)
    yield TemplateRecord("spf", "TXT", zone, NO_MAIL)
    yield TemplateRecord("dmarc", "TXT", f"_dmarc.{zone}", "v=DMARC1; p=reject")


def _authorities(settings: Settings, zone: str) -> Iterator[TemplateRecord]:
    for identity in caa_identities(settings):
        yield TemplateRecord("caa", "CAA", zone, f'0 issue "{identity}"')


def caa_identities(settings: Settings) -> list[str]:
    """Of the certificate authorities in use. Empty if one of them is unknown: CAA records would lock it out."""
    directories = [each for each in (settings.acme_directory, settings.acme_fallback_directory) if each]
    found = [_identity(each) for each in directories]
    return [] if None in found else sorted({each for each in found if each is not None})


def _identity(directory: str) -> str | None:
    host = urlsplit(directory).hostname or ""
    matching = (name for domain, name in KNOWN_AUTHORITIES.items() if host == domain or host.endswith(f".{domain}"))
    return next(matching, None)


def start_of_authority(settings: Settings, zone: str, serial: int) -> RRset:
    text = f"{settings.dns_nameservers[0]}. hostmaster.{zone}. {serial} {SOA_TIMES}"
    return rrset(Key(zone, "SOA"), TTL, [text])
