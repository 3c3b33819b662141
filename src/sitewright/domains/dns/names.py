"""The names of records: `@`, a name relative to the zone, or a complete one."""

import re

from sitewright.domains.dns.reasons import Reason
from sitewright.kit.hosts import MAX_HOST, normalize_part
from sitewright.kit.public_suffixes import is_top_level

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
CHALLENGE = "_acme-challenge"


def full_name(text: str, zone: str) -> str:
    """The complete name, in lower case and ASCII, without a final dot. Raises Reason."""
    name = normalize_part(text.strip())
    if name in ("", "@", zone, f"{zone}."):
        return zone
    if not (name.removesuffix(".").endswith(f".{zone}")):
        if name.endswith(".") or _is_of_another_domain(name):
            text = f"is outside the zone; send a name that ends in .{zone}, or one like www that is below it"
            raise Reason("outside", text, zone=zone)
        name = f"{name}.{zone}"
    name = name.removesuffix(".")
    labels = name.removesuffix(f".{zone}").split(".")
    if labels[0] == "*":
        labels = labels[1:]
    if len(name) > MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise Reason(
            "name",
            "must be @ for the domain itself, or labels of 1 to 63 letters, digits, hyphens and underscores with dots"
            f" between, {MAX_HOST} characters in all; * stands alone and first",
            most=MAX_HOST,
        )
    if name == challenge_name(zone):
        raise Reason("reserved", "is used by the service for certificates; choose another name")
    return name


def challenge_name(zone: str) -> str:
    """Where certificate authorities look for the service's dns-01 challenges."""
    return f"{CHALLENGE}.{zone}"


def _is_of_another_domain(name: str) -> bool:
    """Whether a name without a final dot ends in a public suffix, and so can hardly be meant as relative."""
    last = name.rpartition(".")[2]
    return "." in name and is_top_level(last)
