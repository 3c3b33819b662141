"""Names that certificates are bound to: host names, and `*.parent` for the hosts directly below a parent."""

from collections.abc import Iterable

from cryptography.x509 import Certificate, DNSName, ExtensionNotFound, SubjectAlternativeName
from cryptography.x509.oid import NameOID

from sitewright.kit.hosts import normalize

WILDCARD = "*."
MAX_SHOWN = 5


def read_name(text: str) -> str:
    """Normalizes a name. Raises ValueError with a message for the caller."""
    if text.startswith(WILDCARD):
        return WILDCARD + normalize(text.removeprefix(WILDCARD))
    return normalize(text)


def names_in(certificate: Certificate) -> list[str]:
    """Its DNS names; the common name if it has no alternative names (RFC 6125)."""
    try:
        alternatives = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        common = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return [str(each.value).lower() for each in common[:1]]
    return [name.lower() for name in alternatives.get_values_for_type(DNSName)]


def covers(names: Iterable[str], requested: str) -> bool:
    """A wildcard matches exactly one label, the leftmost."""
    matching = {requested}
    if not requested.startswith(WILDCARD):
        matching.add(WILDCARD + requested.partition(".")[2])
    return any(name in matching for name in names)


def describe(names: list[str]) -> str:
    """For error messages: the first few names."""
    if not names:
        return "it names no host at all"
    more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
    return "it is for " + _first(names) + more


def listed(names: list[str]) -> str:
    """The first few names, in any language."""
    return _first(names) + (" …" if len(names) > MAX_SHOWN else "")


def _first(names: list[str]) -> str:
    return ", ".join(name[:255] for name in names[:MAX_SHOWN])
