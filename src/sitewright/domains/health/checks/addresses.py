"""Where the published addresses lead, and how long changes of them take."""

import math
from collections.abc import Sequence

from sitewright.domains.health.checks.names import no_answer
from sitewright.domains.health.facts import Addresses, Facts
from sitewright.domains.health.findings import Finding, Status, listed, record
from sitewright.domains.health.networks import proxy_of

HOUR, LONG_TTL = 3600, 86_400
"""In seconds. With a longer TTL than a day, a change takes days."""
FAMILIES = {"A": "IPv4", "AAAA": "IPv6"}


def not_mapped(code: str) -> Finding:
    return Finding(code=code, status=Status.SKIPPED, reason="notMapped")


def leads_here_ipv4(facts: Facts) -> Finding:
    return _leads_here("leadsHereIpv4", facts, facts.ipv4, facts.here.ipv4, "A")


def leads_here_ipv6(facts: Facts) -> Finding:
    return _leads_here("leadsHereIpv6", facts, facts.ipv6, facts.here.ipv6, "AAAA")


def _leads_here(code: str, facts: Facts, addresses: Addresses, ours: Sequence[str], kind: str) -> Finding:
    published = addresses.published
    if not facts.subject.is_mapped:
        return not_mapped(code)
    if not facts.here.addresses:
        return Finding(code=code, status=Status.UNKNOWN, reason="noSiteAddresses", found=listed(published.values))
    if not published.is_known:
        return no_answer(code, published, listed(ours))
    if not published.values:
        return _no_address(code, facts, ours, kind)
    status, reason, records = _verdict(facts, published.values, ours, kind)
    values = {"family": FAMILIES[kind]}
    if status is Status.OK and (waiting := _other_in_caches(addresses)):
        status, reason, records = Status.ATTENTION, "changing", []
        values |= {"cached": waiting, "seconds": str((addresses.cached and addresses.cached.ttl) or 0)}
    return Finding(
        code=code,
        status=status,
        reason=reason,
        expected=listed(ours),
        found=listed(published.values),
        facts=values,
        records=records,
    )


def _verdict(facts: Facts, values: Sequence[str], ours: Sequence[str], kind: str) -> tuple[Status, str, list[str]]:
    """Status, reason and records of addresses that are published."""
    if set(values) & set(ours):
        return Status.OK, "leadsHere", []
    wanted = [record(facts.host, kind, each) for each in ours]
    if all(facts.here.is_private(each) for each in values):
        return Status.FAILING, "privateAddress" if ours else "notServed", wanted or _deleted(facts, values, kind)
    if proxy_of(values) is not None:
        outcomes = {each.outcome for each in facts.challenges if each.address in values}
        if outcomes == {"ours"}:
            return Status.OK, "leadsThroughProxy", []
        if outcomes <= {"unreached", "noRoute"}:
            return Status.UNKNOWN, "proxyNotReached", []
    return Status.FAILING, "leadsElsewhere" if ours else "notServed", wanted or _deleted(facts, values, kind)


def _deleted(facts: Facts, values: Sequence[str], kind: str) -> list[str]:
    return [record(facts.host, kind, each) for each in values]


def _no_address(code: str, facts: Facts, ours: Sequence[str], kind: str) -> Finding:
    records = [record(facts.host, kind, each) for each in ours]
    values = {"family": FAMILIES[kind]}
    if not ours:
        return Finding(code=code, status=Status.SKIPPED, reason="familyNotUsed", facts=values)
    if kind == "AAAA" and facts.here.ipv4:
        reason, status = "noIpv6", Status.SKIPPED
    else:
        reason, status = "noAddress", Status.FAILING
    return Finding(code=code, status=status, reason=reason, expected=listed(ours), facts=values, records=records)


def _other_in_caches(addresses: Addresses) -> str | None:
    """What resolvers still answer, where the authoritative servers already answer otherwise."""
    cached = addresses.cached
    if cached is None or not cached.is_known or set(cached.values) == set(addresses.published.values):
        return None
    return listed(cached.values) or "-"


def other_addresses(facts: Facts) -> Finding:
    code, ours = "otherAddresses", set(facts.here.addresses)
    if not facts.subject.is_mapped:
        return not_mapped(code)
    families = [("A", facts.ipv4.published.values), ("AAAA", facts.ipv6.published.values)]
    others = [(kind, each) for kind, values in families if set(values) & ours for each in values if each not in ours]
    if not set(facts.addresses) & ours:
        unknown = next((each for each in (facts.ipv4.published, facts.ipv6.published) if not each.is_known), None)
        return no_answer(code, unknown) if unknown else Finding(code=code, status=Status.SKIPPED, reason="notHere")
    expected = listed(facts.here.addresses)
    if not others:
        return Finding(code=code, status=Status.OK, reason="onlyOurs", expected=expected, found=listed(facts.addresses))
    return Finding(
        code=code,
        status=Status.FAILING,
        reason="otherAddresses",
        expected=expected,
        found=listed(address for _, address in others),
        records=[record(facts.host, kind, address) for kind, address in others],
    )


def proxied(facts: Facts) -> Finding:
    code = "proxied"
    if not facts.addresses:
        is_known = facts.ipv4.published.is_known and facts.ipv6.published.is_known
        skipped = Finding(code=code, status=Status.SKIPPED, reason="nothingPublished")
        return skipped if is_known else no_answer(code, facts.ipv4.published)
    network = proxy_of(facts.addresses)
    if network is None:
        return Finding(code=code, status=Status.OK, reason="notProxied", found=listed(facts.addresses))
    return Finding(
        code=code,
        status=Status.ATTENTION,
        reason="proxied",
        expected=listed(facts.here.addresses),
        found=listed(facts.addresses),
        facts={"network": network},
    )


def www_and_apex(facts: Facts) -> Finding:
    code, sibling = "wwwAndApex", facts.sibling
    if not facts.subject.is_mapped:
        return not_mapped(code)
    if sibling is None:
        return Finding(code=code, status=Status.SKIPPED, reason="noSibling")
    values, ours = {"sibling": sibling.name}, set(facts.here.addresses)
    unknown = next((each for each in (sibling.ipv4, sibling.ipv6) if not each.is_known), None)
    if unknown is not None:
        return no_answer(code, unknown)
    addresses = sibling.ipv4.values + sibling.ipv6.values
    found, expected = listed(addresses), listed(facts.addresses)
    records = [record(sibling.name, "A" if ":" not in each else "AAAA", each) for each in facts.here.addresses]
    if not set(facts.addresses) & ours:
        return Finding(code=code, status=Status.SKIPPED, reason="notHere", found=found)
    if addresses and not set(addresses) & ours and proxy_of(addresses) is None:
        reason, status = "siblingElsewhere", Status.ATTENTION
    elif not addresses:
        status = Status.ATTENTION if facts.subject.sibling_is_mapped else Status.SKIPPED
        reason = "siblingMissing"
    elif not facts.subject.sibling_is_mapped:
        reason, status, records = "siblingNotMapped", Status.SKIPPED, []
    else:
        reason, status, records = "siblingAgrees", Status.OK, []
    return Finding(
        code=code, status=status, reason=reason, expected=expected, found=found, facts=values, records=records
    )


def ttl(facts: Facts) -> Finding:
    code = "ttl"
    known = [each for each in (facts.ipv4.published, facts.ipv6.published) if each.is_known]
    if not known:
        return no_answer(code, facts.ipv4.published)
    longest = max((each.ttl for each in known if each.ttl is not None and (each.values or each.aliases)), default=None)
    if longest is None:
        return Finding(code=code, status=Status.SKIPPED, reason="nothingPublished")
    return Finding(
        code=code,
        status=Status.ATTENTION if longest > LONG_TTL else Status.OK,
        reason="ttlLong" if longest > LONG_TTL else "ttlShort" if longest > HOUR else "ttlHour",
        expected=f"<= {LONG_TTL}",
        found=str(longest),
        facts={"hours": str(math.ceil(longest / HOUR))},
    )
