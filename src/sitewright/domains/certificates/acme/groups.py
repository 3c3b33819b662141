"""Which host names share a certificate: a name and its `www`; in a managed zone, everything directly below it."""

from collections.abc import Sequence

from sitewright.domains.certificates import names
from sitewright.domains.certificates.acme.store import GroupHost

WWW = "www."
SERVICE = 0
"""The brand ref that stands for the service's own host names."""


def group_of(host: str, zone: str | None) -> tuple[str, bool]:
    """The name of the group, and whether it gets a wildcard. `zone`: the managed zone that contains the host."""
    if zone is not None and (host == zone or host.partition(".")[2] == zone):
        return zone, True
    return host.removeprefix(WWW), False


def candidate_groups(hosts: Sequence[str]) -> list[str]:
    """All groups that these hosts can belong to."""
    found = [name for host in hosts for name in (host, host.removeprefix(WWW), host.partition(".")[2])]
    return list(dict.fromkeys(name for name in found if name))


def wanted_hosts(hosts: Sequence[GroupHost]) -> list[GroupHost]:
    """Those that point here, and whose owner's package includes automatic certificates."""
    return [each for each in hosts if each.points_here and each.is_included]


def names_to_order(group_name: str, hosts: Sequence[GroupHost], *, is_wildcard: bool) -> list[str]:
    if not hosts:
        return []
    if is_wildcard:
        return [group_name, names.WILDCARD + group_name]
    return sorted((each.host for each in hosts), key=lambda host: (host != group_name, host))


def names_to_bind(group_name: str, hosts: Sequence[GroupHost], *, is_wildcard: bool) -> list[str]:
    """What the certificate is served for: mapped hosts, and the wildcard for those that are mapped later."""
    if not is_wildcard:
        return [each.host for each in hosts]
    return [*(each.host for each in hosts if each.host == group_name), names.WILDCARD + group_name]
