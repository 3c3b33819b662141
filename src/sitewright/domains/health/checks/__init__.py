"""All checks, in the order in which they are reported: each is a pure function of the observed facts."""

from collections.abc import Callable, Sequence

from sitewright.domains.health.checks import addresses, caa, dnssec, mail, names, web
from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding

CHECKS: dict[str, Callable[[Facts], Finding]] = {
    "nameExists": names.name_exists,
    "registration": names.registration,
    "delegation": names.delegation,
    "leadsHereIpv4": addresses.leads_here_ipv4,
    "leadsHereIpv6": addresses.leads_here_ipv6,
    "otherAddresses": addresses.other_addresses,
    "apexCname": names.apex_cname,
    "proxied": addresses.proxied,
    "caa": caa.caa,
    "challengePath": web.challenge_path,
    "redirectLoop": web.redirect_loop,
    "certificate": web.certificate,
    "hsts": web.hsts,
    "wwwAndApex": addresses.www_and_apex,
    "mx": mail.mx,
    "spf": mail.spf,
    "dkim": mail.dkim,
    "dmarc": mail.dmarc,
    "dnssec": dnssec.dnssec,
    "ttl": addresses.ttl,
}


def run_checks(facts: Facts) -> Sequence[Finding]:
    return [check(facts) for check in CHECKS.values()]
