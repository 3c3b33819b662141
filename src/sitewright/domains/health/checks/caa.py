"""Whether the CAA records let the certificate authority in use issue (RFC 8659)."""

import re

from sitewright.domains.health.checks.addresses import not_mapped
from sitewright.domains.health.checks.names import no_answer
from sitewright.domains.health.facts import Facts
from sitewright.domains.health.findings import Finding, Status, listed, record

CRITICAL = 128
KNOWN_TAGS = {"issue", "issuewild", "iodef", "contactemail", "contactphone", "issuemail", "issuevmc"}
_RECORD = re.compile(r'([0-9]{1,3}) ([A-Za-z0-9]{1,64}) "?([^"]{0,2000})"?')


def caa(facts: Facts) -> Finding:
    code, authorities, result = "caa", facts.here.authorities, facts.caa
    if not facts.subject.is_mapped:
        return not_mapped(code)
    if not authorities:
        return Finding(code=code, status=Status.SKIPPED, reason="caaNotUsed", found=listed(result.values))
    expected = listed(authorities)
    if not result.is_known:
        return no_answer(code, result, expected)
    if not result.values:
        return Finding(code=code, status=Status.OK, reason="caaOpen", expected=expected)
    entries = [found.groups() for each in result.values if (found := _RECORD.fullmatch(each))]
    issuers = [value for _, tag, value in entries if tag.lower() == "issue"]
    has_unknown = any(int(flags) & CRITICAL and tag.lower() not in KNOWN_TAGS for flags, tag, _ in entries)
    matching = [value for value in issuers if _issuer(value) in authorities]
    if has_unknown or (issuers and not matching):
        reason, status = "caaForbids", Status.FAILING
    elif matching and not any(_allows_http(value) for value in matching):
        reason, status = "caaMethod", Status.FAILING
    else:
        reason, status = "caaAllows", Status.OK
    is_bad, owner = status is Status.FAILING, [result.name, *result.aliases][-1]
    return Finding(
        code=code,
        status=status,
        reason=reason,
        expected=expected,
        found=listed(result.values),
        facts={"name": owner, "authority": authorities[0]},
        records=[record(owner, "CAA", f'0 issue "{authorities[0]}"')] if is_bad else [],
    )


def _issuer(value: str) -> str:
    return value.partition(";")[0].strip().lower()


def _allows_http(value: str) -> bool:
    """Whether its parameter `validationmethods` (RFC 8657), if any, has http-01."""
    parameters = (each.strip().partition("=") for each in value.split(";")[1:])
    methods = [given for name, _, given in parameters if name.strip().lower() == "validationmethods"]
    return not methods or any("http-01" in given.split(",") for given in methods)
