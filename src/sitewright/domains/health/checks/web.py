"""What answers at the published addresses: the challenge path, redirects, the certificate."""

from sitewright.domains.health.checks.addresses import not_mapped
from sitewright.domains.health.checks.names import no_answer
from sitewright.domains.health.facts import Certificate, Facts
from sitewright.domains.health.findings import Finding, Status, listed
from sitewright.kit.challenge_probe import CHALLENGES

SOON = 0.2
"""The share of a certificate's lifetime below which it should have been renewed."""
PRELOADED = frozenset(
    {"app", "bank", "boo", "dad", "day", "dev", "esq", "foo", "ing", "insurance", "meme", "mov", "new", "nexus"}
    | {"page", "phd", "prof", "rsvp", "zip"}
)
"""Top-level domains that browsers only ever open over https."""
CERTIFICATE_REASONS = {
    "expired": "certificateExpired",
    "notYetValid": "certificateNotYetValid",
    "otherName": "certificateOtherName",
    "untrusted": "certificateUntrusted",
}


def challenge_path(facts: Facts) -> Finding:
    code, values = "challengePath", {"path": CHALLENGES}
    if not facts.subject.is_mapped:
        return not_mapped(code)
    if not facts.addresses:
        is_known = facts.ipv4.published.is_known and facts.ipv6.published.is_known
        skipped = Finding(code=code, status=Status.SKIPPED, reason="nothingPublished")
        return skipped if is_known else no_answer(code, facts.ipv4.published)
    by_outcome = {
        outcome: [each for each in facts.challenges if each.outcome == outcome]
        for outcome in ("other", "private", "unreached", "ours")
    }
    others = by_outcome["other"] + by_outcome["private"]
    if others:
        reason, status, shown = "challengeWrong", Status.FAILING, others
        if not by_outcome["other"]:
            reason = "challengePrivate"
    elif by_outcome["unreached"] or not by_outcome["ours"]:
        reason, status, shown = "notReached", Status.UNKNOWN, by_outcome["unreached"]
    else:
        reason, status, shown = "challengeReachable", Status.OK, by_outcome["ours"]
    found = listed(f"{each.address}: {each.detail}" if each.detail else each.address for each in shown)
    return Finding(
        code=code, status=status, reason=reason, expected=listed(facts.here.addresses), found=found, facts=values
    )


def _not_here(code: str, facts: Facts) -> Finding | None:
    """Why nothing was requested from the host."""
    if not facts.subject.is_mapped:
        return not_mapped(code)
    if facts.leads_here:
        return None
    unknown = next((each for each in (facts.ipv4.published, facts.ipv6.published) if not each.is_known), None)
    return no_answer(code, unknown) if unknown else Finding(code=code, status=Status.SKIPPED, reason="notHere")


def _not_reached(code: str) -> Finding:
    return Finding(code=code, status=Status.UNKNOWN, reason="notReached")


def redirect_loop(facts: Facts) -> Finding:
    code, redirects = "redirectLoop", facts.redirects
    if (finding := _not_here(code, facts)) is not None:
        return finding
    if redirects is None or redirects.outcome == "unreached":
        return _not_reached(code)
    found = " -> ".join(redirects.chain)
    is_loop = redirects.outcome == "loop"
    return Finding(
        code=code,
        status=Status.FAILING if is_loop else Status.OK,
        reason="redirectLoop" if is_loop else "noLoop",
        found=found,
        facts={"chain": found},
    )


def certificate(facts: Facts) -> Finding:
    code = "certificate"
    if (finding := _not_here(code, facts)) is not None:
        return finding
    found = None if facts.https is None else facts.https.certificate
    if found is None:
        return _not_reached(code)
    date = f"{found.not_after:%Y-%m-%d}"
    values = {
        "date": date,
        "from": f"{found.not_before:%Y-%m-%d}",
        "days": str(max(0, (found.not_after - facts.at).days)),
        "names": ", ".join(found.names[:5]) or "-",
    }
    status, reason = _of_certificate(facts, found)
    shown = f"{values['names']}; {date}"
    return Finding(code=code, status=status, reason=reason, expected=facts.host, found=shown, facts=values)


def _of_certificate(facts: Facts, found: Certificate) -> tuple[Status, str]:
    """A site without https works with a bad one, until visitors type https."""
    if found.problem is not None:
        needs_https = facts.subject.protocol == "https"
        return Status.FAILING if needs_https else Status.ATTENTION, CERTIFICATE_REASONS[found.problem]
    left, lifetime = found.not_after - facts.at, found.not_after - found.not_before
    return (Status.ATTENTION, "certificateEndsSoon") if left < lifetime * SOON else (Status.OK, "certificateValid")


def hsts(facts: Facts) -> Finding:
    code, https = "hsts", facts.https
    if (finding := _not_here(code, facts)) is not None:
        return finding
    suffix = facts.host.rpartition(".")[2]
    is_preloaded = suffix in PRELOADED
    found = f".{suffix}" if is_preloaded else None if https is None else https.hsts
    certificate = None if https is None else https.certificate
    if found is None and certificate is None:
        return _not_reached(code)
    if found is None or found.replace(" ", "").lower().startswith("max-age=0"):
        return Finding(code=code, status=Status.OK, reason="noHsts", found=found)
    needs_https = facts.subject.protocol == "https"
    if certificate is None and needs_https:
        return _not_reached(code)
    if certificate is not None and certificate.problem is None:
        status = Status.OK if needs_https else Status.ATTENTION
    else:
        status = Status.FAILING if is_preloaded or _was_trusted(certificate) else Status.ATTENTION
    reason = "hstsFits" if status is Status.OK else "hstsConflict"
    return Finding(code=code, status=status, reason=reason, expected="https", found=found)


def _was_trusted(certificate: Certificate | None) -> bool:
    """Browsers do not heed the header of a certificate that they never trusted."""
    return certificate is not None and certificate.problem == "expired"
