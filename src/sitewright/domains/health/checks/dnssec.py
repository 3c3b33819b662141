"""Whether the chain of signatures from the parent zone is intact."""

from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding, Status, listed, record

STATES = {
    "off": (Status.SKIPPED, "dnssecOff"),
    "intact": (Status.OK, "dnssecIntact"),
    "broken": (Status.FAILING, "dnssecBroken"),
    "noDs": (Status.ATTENTION, "dnssecNoDs"),
    "excessive": (Status.UNKNOWN, "dnssecExcessive"),
    "unknown": (Status.UNKNOWN, "noAnswerAtAll"),
}


def dnssec(facts: Facts) -> Finding:
    found = facts.dnssec
    status, reason = STATES[found.state]
    wanted = [record(found.zone, "DS", each) for each in found.ds]
    return Finding(
        code="dnssec",
        status=status,
        reason=reason,
        expected=listed(found.ds),
        found=found.reason or None,
        facts={"zone": found.zone, "why": found.reason},
        records=wanted if status in (Status.ATTENTION, Status.FAILING) else [],
    )
