"""What a check is about: a host with what the service knows of it, and the service as the internet should see it."""

from datetime import datetime
from urllib.parse import urlsplit

import msgspec

from sitewright.kit.network_guard import Guard
from sitewright.kit.public_suffixes import registered_domain
from sitewright.settings import Settings

WWW = "www."
CAA_DOMAINS = {"zerossl.com": "sectigo.com"}
"""Authorities whose CAA records name another domain than that of their directory."""


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """An account domain of the brand."""

    ref: int
    domain: str
    status: str
    ends_at: datetime
    renews: bool
    has_mailboxes: bool


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    host: str
    brand_ref: int | None
    """None for a name of no brand, which an operator checks."""
    domain_ref: int | None = None
    """The mapping to a site; None if the name is not mapped."""
    site_ref: int | None = None
    user_ref: int | None = None
    protocol: str = "http"
    is_online: bool = False
    """Whether visitors see the site."""
    mapped_at: datetime | None = None
    sibling_is_mapped: bool = False
    registration: Registration | None = None
    name_servers: tuple[str, ...] = ()
    """Of the zone, if the service manages it."""
    dkim: tuple[str, str] | None = None
    """Name and value of the record of the domain's key, if the service has one."""
    language: str | None = None
    """Of the account holder."""
    assumes_mapping: bool = False
    """Check the name as if it were mapped."""

    @property
    def is_mapped(self) -> bool:
        return self.domain_ref is not None or self.assumes_mapping

    @property
    def registered(self) -> str:
        return registered_domain(self.host)

    @property
    def is_apex(self) -> bool:
        return self.host == self.registered

    @property
    def sibling(self) -> str | None:
        """The name with `www.` of a registered domain, and the other way round."""
        if self.is_apex:
            return WWW + self.host
        return self.registered if self.host == WWW + self.registered else None

    @property
    def mail_domain(self) -> str | None:
        """The account domain whose mailboxes are checked with this name."""
        found = self.registration
        is_own = found is not None and self.host in (found.domain, WWW + found.domain)
        return found.domain if found is not None and is_own and found.has_mailboxes else None


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """This service as the internet should see it."""

    ipv4: tuple[str, ...]
    ipv6: tuple[str, ...]
    port: int = 80
    tls_port: int = 443
    mail_host: str = ""
    authorities: tuple[str, ...] = ()
    """The domains by which CAA records name the certificate authorities in use."""

    @property
    def addresses(self) -> tuple[str, ...]:
        return self.ipv4 + self.ipv6

    def may_probe(self, address: str) -> bool:
        """No request goes to a private address, unless it is the service's own."""
        return address in self.addresses or _GUARD.allows(address)

    def is_private(self, address: str) -> bool:
        return not self.may_probe(address)


_GUARD = Guard()


def read_here(settings: Settings) -> Here:
    directories = [each for each in (settings.acme_directory, settings.acme_fallback_directory) if each]
    return Here(
        ipv4=tuple(each for each in settings.site_addresses if ":" not in each),
        ipv6=tuple(each for each in settings.site_addresses if ":" in each),
        port=settings.site_public_port,
        tls_port=settings.site_public_tls_port,
        mail_host=settings.mail_host.lower(),
        authorities=tuple(dict.fromkeys(caa_domain(each) for each in directories)),
    )


def caa_domain(directory: str) -> str:
    """The domain by which CAA records name the authority of an ACME directory."""
    host = urlsplit(directory).hostname or ""
    domain = registered_domain(host)
    return CAA_DOMAINS.get(domain, domain)
