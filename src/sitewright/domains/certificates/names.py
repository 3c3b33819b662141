"""Names that certificates are put for: host names, and `*.parent` for the hosts right below a parent."""

from collections.abc import Iterable

from cryptography.x509 import Certificate, DNSName, ExtensionNotFound, SubjectAlternativeName
from cryptography.x509.oid import NameOID

from sitewright.kit.hosts import normalize

WILDCARD = "*."
MOST_TOLD = 5


def read_name(text: str) -> str:
    """The one form that all spellings share. Raises ValueError with words for the caller."""
    if text.startswith(WILDCARD):
        return WILDCARD + normalize(text.removeprefix(WILDCARD))
    return normalize(text)


def names_in(certificate: Certificate) -> list[str]:
    """Those of hosts; the common name where a certificate has none, as RFC 6125 says."""
    try:
        alternatives = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        common = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return [str(each.value).lower() for each in common[:1]]
    return [name.lower() for name in alternatives.get_values_for_type(DNSName)]


def covers(names: Iterable[str], wanted: str) -> bool:
    """A wildcard stands for one label, at the very left."""
    fitting = {wanted}
    if not wanted.startswith(WILDCARD):
        fitting.add(WILDCARD + wanted.partition(".")[2])
    return any(name in fitting for name in names)


def told(names: list[str]) -> str:
    """For a person to read, and no longer than that."""
    if not names:
        return "it names no host at all"
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    return "it is for " + ", ".join(name[:255] for name in names[:MOST_TOLD]) + more
