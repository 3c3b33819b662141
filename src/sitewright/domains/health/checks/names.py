"""Whether the name exists, its domain is registered, and its zone is delegated to servers that answer."""

from collections.abc import Sequence
from datetime import timedelta

from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding, Status, listed, record
from sitewright.domains.health.subjects import Here, Registration
from sitewright.kit.dns.results import Answer, Outcome

ENDS_SOON = timedelta(days=30)


def no_answer(code: str, result: Answer | None = None, expected: str | None = None) -> Finding:
    """The DNS gave no usable response."""
    why = "" if result is None else result.reason
    return Finding(
        code=code,
        status=Status.UNKNOWN,
        reason="noAnswer" if why else "noAnswerAtAll",
        expected=expected,
        facts={"why": why},
    )


def records_here(host: str, here: Here) -> list[str]:
    return [record(host, "A", each) for each in here.ipv4] + [record(host, "AAAA", each) for each in here.ipv6]


def name_exists(facts: Facts) -> Finding:
    code, results = "nameExists", (facts.ipv4.published, facts.ipv6.published)
    if any(each.exists for each in results):
        found = listed([*results[0].aliases[:1], *facts.addresses])
        return Finding(code=code, status=Status.OK, reason="exists", found=found)
    missing = next((each for each in results if each.outcome is Outcome.MISSING), None)
    if missing is None:
        return no_answer(code, results[0])
    return Finding(
        code=code,
        status=Status.FAILING,
        reason="missing",
        expected=listed(facts.here.addresses),
        found="NXDOMAIN",
        facts={"zone": facts.zone.name or facts.subject.registered},
        records=records_here(facts.host, facts.here),
    )


def registration(facts: Facts) -> Finding:
    code, known = "registration", facts.subject.registration
    if known is not None:
        return _registration_here(code, known, facts)
    domain, result = facts.subject.registered, facts.registered
    if result.exists or facts.zone.name is not None:
        return Finding(code=code, status=Status.OK, reason="registered", found=domain, facts={"domain": domain})
    if not result.is_known:
        return no_answer(code, result)
    return Finding(
        code=code,
        status=Status.FAILING,
        reason="notRegistered",
        expected=domain,
        found="NXDOMAIN",
        facts={"domain": domain},
    )


def _registration_here(code: str, known: Registration, facts: Facts) -> Finding:
    date = f"{known.ends_at:%Y-%m-%d}"
    values = {"domain": known.domain, "date": date}
    if known.status == "failed":
        return Finding(code=code, status=Status.FAILING, reason="registrationFailed", facts=values)
    if known.status == "expired" or known.ends_at <= facts.now:
        return Finding(code=code, status=Status.FAILING, reason="registrationExpired", found=date, facts=values)
    if known.status == "pending":
        return Finding(code=code, status=Status.ATTENTION, reason="registrationPending", facts=values)
    if not known.renews and known.ends_at - facts.now < ENDS_SOON:
        return Finding(code=code, status=Status.ATTENTION, reason="registrationEnds", found=date, facts=values)
    return Finding(code=code, status=Status.OK, reason="registeredUntil", found=date, facts=values)


def delegation(facts: Facts) -> Finding:
    code, zone = "delegation", facts.zone
    wanted = facts.subject.name_servers
    domain = zone.name or facts.subject.registered
    values, expected = {"zone": domain}, listed(wanted)
    entries = [record(domain, "NS", f"{each}.") for each in wanted]
    if zone.name is None:
        if not zone.answer.is_known:
            return no_answer(code, zone.answer, expected)
        if facts.ipv4.published.exists or facts.ipv6.published.exists or facts.registered.exists:
            return Finding(code=code, status=Status.SKIPPED, reason="noNameServers", expected=expected, facts=values)
        return Finding(
            code=code, status=Status.FAILING, reason="notDelegated", expected=expected, facts=values, records=entries
        )
    found = listed(zone.answer.values)
    bad = _servers_in(facts, "refuses", "noAddress")
    if bad:
        status = Status.FAILING if len(bad) == len(facts.server_states) else Status.ATTENTION
        values["servers"] = ", ".join(bad)
        return Finding(
            code=code, status=status, reason="lameDelegation", expected=expected, found=found, facts=values,
            records=[record(domain, "NS", f"{each}.") for each in bad],
        )  # fmt: skip
    if wanted and not set(zone.answer.values) & set(wanted):
        return Finding(
            code=code, status=Status.ATTENTION, reason="otherNameServers", expected=expected, found=found,
            facts=values, records=entries,
        )  # fmt: skip
    return _silent_servers(code, facts, found, expected) or Finding(
        code=code, status=Status.OK, reason="delegated", expected=expected, found=found, facts=values
    )


def _silent_servers(code: str, facts: Facts, found: str | None, expected: str | None) -> Finding | None:
    silent = _servers_in(facts, "silent")
    if not silent:
        return None
    values = {"zone": f"{facts.zone.name}", "servers": ", ".join(silent)}
    is_all = len(silent) == len(facts.server_states)
    status = Status.UNKNOWN if is_all else Status.ATTENTION
    return Finding(code=code, status=status, reason="silentServers", expected=expected, found=found, facts=values)


def _servers_in(facts: Facts, *states: str) -> Sequence[str]:
    return [name for name, state in facts.server_states.items() if state in states]


def apex_cname(facts: Facts) -> Finding:
    code, host = "apexCname", facts.host
    if not facts.subject.is_apex and host != facts.zone.name:
        return Finding(code=code, status=Status.SKIPPED, reason="notApex", facts={"domain": facts.subject.registered})
    result = next((each for each in (facts.ipv4.published, facts.ipv6.published) if each.is_known), None)
    if result is None:
        return no_answer(code, facts.ipv4.published)
    if not result.aliases:
        return Finding(code=code, status=Status.OK, reason="noApexCname")
    return Finding(
        code=code,
        status=Status.FAILING,
        reason="apexCname",
        expected=listed(facts.here.addresses),
        found=f"CNAME {result.aliases[0]}",
        facts={"target": result.aliases[0]},
        records=records_here(host, facts.here),
    )
