"""The result of one question: its values as text, or why there are none."""

from enum import StrEnum

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdata
import dns.rdatatype
import msgspec
from dns.exception import DNSException
from dns.rdtypes.ANY import CNAME, MX, NS, SOA, TXT

MAX_ALIASES = 16


class Outcome(StrEnum):
    FOUND = "found"
    EMPTY = "empty"
    """The name exists, without records of this type."""
    MISSING = "missing"
    """The name does not exist."""
    UNAVAILABLE = "unavailable"
    """No server gave a usable response."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    """The type of the records, like `AAAA`."""
    outcome: Outcome
    values: tuple[str, ...] = ()
    """Names in lower case without their last dot, texts joined, everything else as in a zone file."""
    ttl: int | None = None
    """The longest of the records and aliases, in seconds."""
    aliases: tuple[str, ...] = ()
    """The targets of the CNAME records that lead from the name to the values, in order."""
    zone: str | None = None
    """The zone of the name, as far as a response without records says it."""
    is_authoritative: bool = False
    reason: str = ""
    """Why it is unavailable: `timeout`, `busy`, or the server's response code."""

    @property
    def is_known(self) -> bool:
        return self.outcome is not Outcome.UNAVAILABLE

    @property
    def exists(self) -> bool:
        return self.outcome in (Outcome.FOUND, Outcome.EMPTY)


def unavailable(name: str, kind: str, reason: str) -> Answer:
    return Answer(name=name, kind=kind, outcome=Outcome.UNAVAILABLE, reason=reason)


def answer_from(name: str, kind: str, message: dns.message.Message) -> Answer:
    """What a response says about a question."""
    code = message.rcode()
    if code not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
        return unavailable(name, kind, dns.rcode.to_text(code))
    try:
        aliases, owner, longest = _follow_aliases(message, dns.name.from_text(name))
    except DNSException:
        return unavailable(name, kind, "FORMERR")
    found = None if kind == "CNAME" else _rrset(message, owner, kind)
    if kind == "CNAME" and aliases:
        outcome, values = Outcome.FOUND, aliases[:1]
    elif found is not None:
        outcome, values = Outcome.FOUND, tuple(sorted(value_of(each) for each in found))
        longest = max(found.ttl, longest or 0)
    else:
        # A name with an alias exists, even if the alias leads nowhere.
        outcome = Outcome.MISSING if code == dns.rcode.NXDOMAIN and not aliases else Outcome.EMPTY
        values = ()
    return Answer(
        name=name,
        kind=kind,
        outcome=outcome,
        values=values,
        ttl=longest,
        aliases=aliases,
        zone=_zone(message),
        is_authoritative=bool(message.flags & dns.flags.AA),
    )


def value_of(rdata: dns.rdata.Rdata) -> str:
    if isinstance(rdata, NS.NS | CNAME.CNAME):
        return text_of(rdata.target)
    if isinstance(rdata, MX.MX):
        return f"{rdata.preference} {text_of(rdata.exchange)}"
    if isinstance(rdata, TXT.TXT):
        return b"".join(rdata.strings).decode("utf-8", "replace")
    if isinstance(rdata, SOA.SOA):
        return text_of(rdata.mname)
    return rdata.to_text()


def text_of(name: dns.name.Name) -> str:
    """In lower case, without the last dot; the root is a dot."""
    return name.to_text(omit_final_dot=name != dns.name.root).lower()


def _follow_aliases(
    message: dns.message.Message, owner: dns.name.Name
) -> tuple[tuple[str, ...], dns.name.Name, int | None]:
    aliases: list[str] = []
    longest: int | None = None
    while len(aliases) < MAX_ALIASES and (alias := _rrset(message, owner, "CNAME")) is not None:
        target = alias[0]
        if not isinstance(target, CNAME.CNAME):
            break
        longest = max(alias.ttl, longest or 0)
        owner = target.target
        aliases.append(text_of(owner))
    return tuple(aliases), owner, longest


def _rrset(message: dns.message.Message, owner: dns.name.Name, kind: str) -> "dns.rrset.RRset | None":
    rdtype = dns.rdatatype.from_text(kind)
    matching = (each for each in message.answer if each.rdtype == rdtype and each.name == owner)
    return next(matching, None)


def _zone(message: dns.message.Message) -> str | None:
    matching = (each for each in message.authority if each.rdtype == dns.rdatatype.SOA)
    found = next(matching, None)
    return None if found is None else text_of(found.name)
