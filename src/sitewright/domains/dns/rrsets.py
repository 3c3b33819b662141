"""RRsets: all records of one name and type, which name servers replace as a whole."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import dns.rdata
import dns.rdataclass
import dns.rdatatype

TXT_CHUNK = 255
TYPES = ("A", "AAAA", "CNAME", "MX", "TXT", "SRV", "CAA", "NS")
"""Those that records of a zone can have; all others at a provider are left alone."""


class Key(NamedTuple):
    name: str
    """In lower case, without a final dot."""
    type: str


class RRset(NamedTuple):
    key: Key
    ttl: int
    values: tuple[str, ...]
    """In the canonical presentation format, sorted; names end with a dot."""


Zone: TypeAlias = dict[Key, RRset]


class Record(Protocol):
    """A record as the API shows it."""

    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def ttl(self) -> int: ...
    @property
    def priority(self) -> int | None: ...


def rrsets_of(records: Iterable[Record]) -> Zone:
    """The records of one RRset share the smallest of their times to live, as RFC 2181 requires one."""
    grouped: defaultdict[Key, list[Record]] = defaultdict(list)
    for record in records:
        grouped[Key(record.name, record.type)].append(record)
    return {
        key: rrset(key, min(each.ttl for each in found), [presentation(each) for each in found])
        for key, found in grouped.items()
    }


def keys_at(names: Iterable[str]) -> set[Key]:
    """Every RRset that the names could have."""
    return {Key(name, kind) for name in names for kind in TYPES}


def rrset(key: Key, ttl: int, values: Iterable[str]) -> RRset:
    return RRset(key, ttl, tuple(sorted({canonical(key.type, value) for value in values})))


def canonical(rdata_type: str, text: str) -> str:
    """The same text for equal records, however a server or a person writes them."""
    parsed = dns.rdata.from_text(dns.rdataclass.IN, dns.rdatatype.from_text(rdata_type), text)
    in_order = parsed.to_text()
    return in_order if rdata_type in ("TXT", "CAA") else in_order.lower()


def presentation(record: Record) -> str:
    if record.type == "TXT":
        return quoted(record.value)
    if record.type == "SRV":
        weight, port, target = record.value.split(" ")
        return f"{record.priority} {weight} {port} {absolute(target)}"
    if record.type == "MX":
        return f"{record.priority} {absolute(record.value)}"
    return absolute(record.value) if record.type in ("CNAME", "NS") else record.value


def absolute(name: str) -> str:
    return name if name.endswith(".") else f"{name}."


def quoted(text: str) -> str:
    """The character strings of a TXT record, at most 255 bytes each."""
    content = text.encode()
    chunks = [content[start : start + TXT_CHUNK] for start in range(0, len(content), TXT_CHUNK)] or [b""]
    return " ".join(f'"{"".join(_escaped(byte) for byte in chunk)}"' for chunk in chunks)


def _escaped(byte: int) -> str:
    if byte in b'"\\':
        return f"\\{chr(byte)}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03d}"


class Parsed(NamedTuple):
    """The value and priority of a record, as the API shows them."""

    value: str
    priority: int | None


def parsed(rdata_type: str, text: str) -> Parsed:
    """The opposite of `presentation`."""
    if rdata_type == "TXT":
        rdata = dns.rdata.from_text(dns.rdataclass.IN, dns.rdatatype.TXT, text)
        strings: Sequence[bytes] = rdata.strings  # type: ignore[attr-defined]
        return Parsed(b"".join(strings).decode(errors="replace"), None)
    if rdata_type == "SRV":
        priority, weight, port, target = text.split(" ")
        return Parsed(f"{weight} {port} {_relative(target)}", int(priority))
    if rdata_type == "MX":
        priority, target = text.split(" ")
        return Parsed(_relative(target), int(priority))
    return Parsed(_relative(text) if rdata_type in ("CNAME", "NS") else text, None)


def _relative(target: str) -> str:
    return target if target == "." else target.removesuffix(".")
