"""The values of records by type: how they are checked and stored."""

import re
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from sitewright.domains.dns.reasons import Reason
from sitewright.kit.hosts import MAX_HOST, normalize_part

MAX_TXT_BYTES = 4000
MAX_NUMBER = 65535
NULL_TARGET = "."
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_CAA = re.compile(r'(\d{1,3}) ([a-z0-9]{1,15}) (?:"([ !#-\[\]-~]{0,200})"|([!#-\[\]-~]{1,200}))', re.IGNORECASE)
"""The value: printable ASCII without quotes and backslashes."""
_NUMBER = re.compile(r"[0-9]{1,5}")
SPF, DMARC, DKIM = "v=spf1", "v=dmarc1", "v=dkim1"


class InvalidValue(NamedTuple):
    field: str
    reason: Reason


def canonical_value(record_type: str, text: str, priority: int | None) -> str | InvalidValue:
    """The value as it is stored, or why it is refused."""
    has_priority = record_type in ("MX", "SRV")
    if has_priority and (priority is None or not 0 <= priority <= MAX_NUMBER):
        text = f"is required for {record_type}: a number from 0 to {MAX_NUMBER}, the smallest first"
        return InvalidValue("priority", Reason("priorityMissing", text, type=record_type, most=MAX_NUMBER))
    if not has_priority and priority is not None:
        text = f"must be left out: {record_type} records have none"
        return InvalidValue("priority", Reason("priorityUnused", text, type=record_type))
    try:
        return _PARSERS[record_type](text)
    except Reason as reason:
        return InvalidValue("value", reason)


def _ipv4(text: str) -> str:
    try:
        return str(IPv4Address(text.strip()))
    except ValueError:
        raise Reason("ipv4", "must be an IPv4 address like 192.0.2.10; for IPv6 use the type AAAA") from None


def _ipv6(text: str) -> str:
    try:
        address = IPv6Address(text.strip())
    except ValueError:
        raise Reason("ipv6", "must be an IPv6 address like 2001:db8::10; for IPv4 use the type A") from None
    if address.scope_id is not None:
        raise Reason("ipv6", "must be an IPv6 address without a zone index")
    return str(address)


def _host(text: str) -> str:
    name = normalize_part(text.strip()).removesuffix(".")
    labels = name.split(".")
    if len(labels) < 2 or len(name) > MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise Reason("host", "must be a complete host name like shop.example.com")
    if labels[-1].isdigit():
        raise Reason("address", "must be a host name, not an IP address; use the type A or AAAA for an address")
    return name


def _mail_exchange(text: str) -> str:
    return NULL_TARGET if text.strip() == NULL_TARGET else _host(text)


def _text(text: str) -> str:
    if len(text) > 1 and text.startswith('"') and text.endswith('"') and '"' not in text[1:-1]:
        text = text[1:-1]
    if not text or len(text.encode(errors="replace")) > MAX_TXT_BYTES:
        raise Reason("textSize", f"must hold 1 to {MAX_TXT_BYTES} bytes", most=MAX_TXT_BYTES)
    if not text.isprintable():
        raise Reason("textLine", "must be one line of text without control characters")
    return text


def _service(text: str) -> str:
    parts = text.split()
    if len(parts) != 3 or not all(_NUMBER.fullmatch(part) and int(part) <= MAX_NUMBER for part in parts[:2]):
        raise Reason("service", 'must be weight, port and host name, like "5 5060 sip.example.com"')
    target = NULL_TARGET if parts[2] == NULL_TARGET else _host(parts[2])
    return f"{int(parts[0])} {int(parts[1])} {target}"


def _caa(text: str) -> str:
    match = _CAA.fullmatch(text.strip())
    if match is None or int(match[1]) > 255 or not text.isascii():
        raise Reason("caa", 'must be flags, tag and value, like 0 issue "letsencrypt.org"')
    value = match[3] if match[3] is not None else match[4]
    return f'{int(match[1])} {match[2].lower()} "{value}"'


_PARSERS: dict[str, Callable[[str], str]] = {
    "A": _ipv4,
    "AAAA": _ipv6,
    "CNAME": _host,
    "NS": _host,
    "MX": _mail_exchange,
    "TXT": _text,
    "SRV": _service,
    "CAA": _caa,
}


def purpose(record_type: str, value: str) -> str | None:
    """`SPF`, `DMARC` or `DKIM`, of which a name can have one record each."""
    if record_type != "TXT":
        return None
    start = value.lower().replace(" ", "")
    found = {SPF: "SPF", DMARC: "DMARC", DKIM: "DKIM"}
    return next((name for prefix, name in found.items() if start.startswith(prefix)), None)
