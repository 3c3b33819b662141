"""What was observed of a host, from which the checks conclude without asking anybody."""

from datetime import datetime
from typing import Literal

import msgspec

from sitewright.domains.health.subjects import Here, Subject
from sitewright.kit.dns.delegation import Zone
from sitewright.kit.dns.results import Answer

CertificateProblem = Literal["expired", "notYetValid", "otherName", "untrusted"]
ServerState = Literal["answers", "refuses", "silent", "private", "noAddress"]
"""`silent`: it did not respond in time. `private`: its address may not be asked."""


class Addresses(msgspec.Struct, frozen=True):
    """The addresses of one family."""

    published: Answer
    """By the authoritative servers if they were asked and responded, else by the resolvers."""
    cached: Answer | None = None
    """By the resolvers, if `published` is not by them."""


class Challenge(msgspec.Struct, frozen=True):
    """The response of one published address to the probe of the challenge path."""

    address: str
    outcome: Literal["ours", "other", "unreached", "noRoute", "private"]
    """`noRoute`: this machine has no connection of that family. `private`: no request was sent."""
    detail: str = ""


class Certificate(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    not_before: datetime
    not_after: datetime
    problem: CertificateProblem | None = None


class Https(msgspec.Struct, frozen=True):
    """The response over TLS of an address that leads here; without a certificate it was not reached."""

    certificate: Certificate | None = None
    hsts: str | None = None
    """The header Strict-Transport-Security."""
    error: str = ""


class Redirects(msgspec.Struct, frozen=True):
    """The addresses that a browser would be sent to, from http on."""

    outcome: Literal["ends", "loop", "unreached"]
    chain: tuple[str, ...] = ()


class Sibling(msgspec.Struct, frozen=True):
    name: str
    ipv4: Answer
    ipv6: Answer


class MailRecords(msgspec.Struct, frozen=True):
    domain: str
    mx: Answer
    spf: Answer
    """The TXT records of the domain."""
    dmarc: Answer
    dkim: Answer | None = None
    """None if the service knows no key of the domain."""
    dkim_value: str | None = None
    """The value that `dkim` should have."""


class Dnssec(msgspec.Struct, frozen=True):
    zone: str
    state: Literal["off", "intact", "broken", "noDs", "excessive", "unknown"]
    """`noDs`: the zone is signed, and its parent does not say so. `excessive`: too many records to be verified."""
    reason: str = ""
    ds: tuple[str, ...] = ()


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    subject: Subject
    here: Here
    at: datetime
    """Real time, by which certificates are valid."""
    now: datetime
    """The service's time, by which domains are registered."""
    registered: Answer
    """The SOA record of the registered domain."""
    zone: Zone
    server_states: dict[str, ServerState]
    """By the name of the name server."""
    ipv4: Addresses
    ipv6: Addresses
    caa: Answer
    """Of the closest name that has any, from the host up to its registered domain."""
    sibling: Sibling | None = None
    challenges: tuple[Challenge, ...] = ()
    redirects: Redirects | None = None
    https: Https | None = None
    mail: MailRecords | None = None
    dnssec: Dnssec

    @property
    def host(self) -> str:
        return self.subject.host

    @property
    def addresses(self) -> tuple[str, ...]:
        """All that are published."""
        return self.ipv4.published.values + self.ipv6.published.values

    @property
    def points_here(self) -> bool | None:
        """Every published address is the service's; None: not all of them are known."""
        if not set(self.addresses) <= set(self.here.addresses):
            return False
        is_certain = self.ipv4.published.is_known and self.ipv6.published.is_known
        return bool(self.addresses) if is_certain else None

    @property
    def leads_here(self) -> bool:
        """Requests arrive here, at least over one address, directly or through a proxy."""
        is_ours = set(self.addresses) & set(self.here.addresses)
        return bool(is_ours) or any(each.outcome == "ours" for each in self.challenges)

    @property
    def challenge_reachable(self) -> bool:
        """Through every published address that this machine has a route to."""
        outcomes = {each.outcome for each in self.challenges if each.outcome != "noRoute"}
        return outcomes == {"ours"}
