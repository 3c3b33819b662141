"""Every check with every result, from facts alone."""

from typing import Any

import pytest

from sitewright.domains.health.checks import CHECKS, run_checks
from sitewright.domains.health.facts import Addresses, Challenge, Dnssec, Https, Redirects, Sibling
from sitewright.domains.health.findings import Finding, Status, overall
from sitewright.domains.health.presenters import CATALOG, FIX, messages_in, present_finding
from sitewright.domains.health.subjects import caa_domain
from sitewright.kit.dns.delegation import Zone
from tests.domains.health.samples import (
    AT,
    ELSEWHERE,
    ELSEWHERE_6,
    HEALTHY,
    HOST,
    OURS,
    OURS_6,
    alias,
    certificate,
    empty,
    facts,
    found,
    here,
    ipv4,
    ipv6,
    mail,
    missing,
    registration,
    silent,
    subject,
)

OK, ATTENTION, FAILING, UNKNOWN, SKIPPED = (
    Status.OK,
    Status.ATTENTION,
    Status.FAILING,
    Status.UNKNOWN,
    Status.SKIPPED,
)
NO_ADDRESSES = {"ipv4": Addresses(missing("A")), "ipv6": Addresses(missing("AAAA")), "challenges": ()}
NO_DNS = {"ipv4": Addresses(silent("A")), "ipv6": Addresses(silent("AAAA")), "challenges": ()}
NOT_MAPPED = {"subject": subject(domain_ref=None)}
NOT_HERE = {"ipv4": ipv4(ELSEWHERE), "ipv6": ipv6(), "challenges": (Challenge(ELSEWHERE, "other", "HTTP 404"),)}
PROXY = "104.16.1.1"
Case = tuple[str, dict[str, Any], Status, str]

NAMES: list[Case] = [
    ("nameExists", {}, OK, "exists"),
    ("nameExists", {"ipv4": Addresses(alias("A", "gone.example")), "ipv6": ipv6()}, OK, "exists"),
    ("nameExists", NO_ADDRESSES, FAILING, "missing"),
    ("nameExists", NO_DNS, UNKNOWN, "noAnswer"),
    ("registration", {}, OK, "registered"),
    ("registration", {"registered": missing("SOA"), "zone": Zone(None, missing("NS"))}, FAILING, "notRegistered"),
    ("registration", {"registered": silent("SOA"), "zone": Zone(None, silent("NS"))}, UNKNOWN, "noAnswer"),
    ("registration", {"subject": subject(registration=registration())}, OK, "registeredUntil"),
    ("registration", {"subject": subject(registration=registration(days_left=-1))}, FAILING, "registrationExpired"),
    ("registration", {"subject": subject(registration=registration("expired"))}, FAILING, "registrationExpired"),
    ("registration", {"subject": subject(registration=registration("pending"))}, ATTENTION, "registrationPending"),
    ("registration", {"subject": subject(registration=registration("failed"))}, FAILING, "registrationFailed"),
    (
        "registration",
        {"subject": subject(registration=registration(days_left=9, renews=False))},
        ATTENTION,
        "registrationEnds",
    ),
    ("delegation", {}, OK, "delegated"),
    ("delegation", {"server_states": {"a": "refuses", "b": "noAddress"}}, FAILING, "lameDelegation"),
    ("delegation", {"server_states": {"a": "answers", "b": "refuses"}}, ATTENTION, "lameDelegation"),
    ("delegation", {"server_states": {"a": "answers", "b": "silent"}}, ATTENTION, "silentServers"),
    ("delegation", {"server_states": {"a": "silent", "b": "silent"}}, UNKNOWN, "silentServers"),
    ("delegation", {"zone": Zone(None, silent("NS"))}, UNKNOWN, "noAnswer"),
    ("delegation", {"zone": Zone(None, empty("NS"))}, SKIPPED, "noNameServers"),
    (
        "delegation",
        {"zone": Zone(None, missing("NS")), "registered": missing("SOA"), **NO_ADDRESSES},
        FAILING,
        "notDelegated",
    ),
    (
        "delegation",
        {"subject": subject(name_servers=("ns1.host.example",))},
        ATTENTION,
        "otherNameServers",
    ),
    ("delegation", {"subject": subject(name_servers=("ns1.dns.example",))}, OK, "delegated"),
    ("apexCname", {}, OK, "noApexCname"),
    ("apexCname", {"ipv4": Addresses(alias("A", "site.host.example", OURS))}, FAILING, "apexCname"),
    ("apexCname", NO_DNS, UNKNOWN, "noAnswer"),
    ("apexCname", {"subject": subject(host=f"shop.{HOST}")}, SKIPPED, "notApex"),
]
ADDRESSES: list[Case] = [
    ("leadsHereIpv4", {}, OK, "leadsHere"),
    ("leadsHereIpv4", {"ipv4": ipv4(ELSEWHERE)}, FAILING, "leadsElsewhere"),
    ("leadsHereIpv4", {"ipv4": ipv4(OURS, ELSEWHERE)}, OK, "leadsHere"),
    ("leadsHereIpv4", {"ipv4": ipv4()}, FAILING, "noAddress"),
    ("leadsHereIpv4", {"ipv4": ipv4("127.0.0.1")}, FAILING, "privateAddress"),
    ("leadsHereIpv4", {"ipv4": ipv4(), "here": here(ipv4=())}, SKIPPED, "familyNotUsed"),
    ("leadsHereIpv4", {"here": here(ipv4=(), ipv6=())}, UNKNOWN, "noSiteAddresses"),
    ("leadsHereIpv4", NO_DNS, UNKNOWN, "noAnswer"),
    ("leadsHereIpv4", NOT_MAPPED, SKIPPED, "notMapped"),
    ("leadsHereIpv4", {"ipv4": Addresses(found("A", OURS), found("A", ELSEWHERE))}, ATTENTION, "changing"),
    ("leadsHereIpv4", {"ipv4": ipv4(PROXY), "challenges": (Challenge(PROXY, "ours"),)}, OK, "leadsThroughProxy"),
    ("leadsHereIpv4", {"ipv4": ipv4(PROXY), "challenges": (Challenge(PROXY, "other"),)}, FAILING, "leadsElsewhere"),
    (
        "leadsHereIpv4",
        {"ipv4": ipv4(PROXY), "challenges": (Challenge(PROXY, "unreached"),)},
        UNKNOWN,
        "proxyNotReached",
    ),
    ("leadsHereIpv6", {}, OK, "leadsHere"),
    ("leadsHereIpv6", {"ipv6": ipv6(ELSEWHERE_6)}, FAILING, "leadsElsewhere"),
    ("leadsHereIpv6", {"ipv6": ipv6(ELSEWHERE_6), "here": here(ipv6=())}, FAILING, "notServed"),
    ("leadsHereIpv6", {"ipv6": ipv6()}, SKIPPED, "noIpv6"),
    ("leadsHereIpv6", {"ipv6": ipv6(), "here": here(ipv4=())}, FAILING, "noAddress"),
    ("leadsHereIpv6", {"ipv6": ipv6("fd00::1")}, FAILING, "privateAddress"),
    ("leadsHereIpv6", {"ipv6": Addresses(found("AAAA", OURS_6), empty("AAAA"))}, ATTENTION, "changing"),
    ("leadsHereIpv6", NO_DNS, UNKNOWN, "noAnswer"),
    ("otherAddresses", {}, OK, "onlyOurs"),
    ("otherAddresses", {"ipv4": ipv4(OURS, ELSEWHERE)}, FAILING, "otherAddresses"),
    ("otherAddresses", NOT_HERE, SKIPPED, "notHere"),
    ("otherAddresses", NO_DNS, UNKNOWN, "noAnswer"),
    ("otherAddresses", NOT_MAPPED, SKIPPED, "notMapped"),
    ("proxied", {}, OK, "notProxied"),
    ("proxied", {"ipv4": ipv4(PROXY)}, ATTENTION, "proxied"),
    ("proxied", NO_ADDRESSES, SKIPPED, "nothingPublished"),
    ("proxied", NO_DNS, UNKNOWN, "noAnswer"),
    ("wwwAndApex", {}, OK, "siblingAgrees"),
    ("wwwAndApex", {"sibling": Sibling("x", found("A", ELSEWHERE), empty("AAAA"))}, ATTENTION, "siblingElsewhere"),
    ("wwwAndApex", {"sibling": Sibling("x", missing("A"), missing("AAAA"))}, ATTENTION, "siblingMissing"),
    (
        "wwwAndApex",
        {"sibling": Sibling("x", missing("A"), missing("AAAA")), "subject": subject(sibling_is_mapped=False)},
        SKIPPED,
        "siblingMissing",
    ),
    ("wwwAndApex", {"subject": subject(sibling_is_mapped=False)}, SKIPPED, "siblingNotMapped"),
    ("wwwAndApex", {"sibling": Sibling("x", silent("A"), empty("AAAA"))}, UNKNOWN, "noAnswer"),
    ("wwwAndApex", {"sibling": None}, SKIPPED, "noSibling"),
    ("wwwAndApex", NOT_HERE, SKIPPED, "notHere"),
    ("ttl", {}, OK, "ttlHour"),
    ("ttl", {"ipv4": Addresses(found("A", OURS, ttl=7200))}, OK, "ttlShort"),
    ("ttl", {"ipv4": Addresses(found("A", OURS, ttl=172_800))}, ATTENTION, "ttlLong"),
    ("ttl", NO_ADDRESSES, SKIPPED, "nothingPublished"),
    ("ttl", NO_DNS, UNKNOWN, "noAnswer"),
]
WEB: list[Case] = [
    ("caa", {}, OK, "caaOpen"),
    ("caa", {"caa": found("CAA", '0 issue "letsencrypt.org"')}, OK, "caaAllows"),
    ("caa", {"caa": found("CAA", '0 iodef "mailto:a@b.example"')}, OK, "caaAllows"),
    ("caa", {"caa": found("CAA", '0 issue "other.example"')}, FAILING, "caaForbids"),
    ("caa", {"caa": found("CAA", '0 issue ";"')}, FAILING, "caaForbids"),
    ("caa", {"caa": found("CAA", '128 mystery "x"')}, FAILING, "caaForbids"),
    ("caa", {"caa": found("CAA", '0 issue "letsencrypt.org; validationmethods=dns-01"')}, FAILING, "caaMethod"),
    ("caa", {"caa": found("CAA", '0 issue "letsencrypt.org; validationmethods=dns-01,http-01"')}, OK, "caaAllows"),
    ("caa", {"caa": silent("CAA")}, UNKNOWN, "noAnswer"),
    ("caa", {"here": here(authorities=())}, SKIPPED, "caaNotUsed"),
    ("challengePath", {}, OK, "challengeReachable"),
    ("challengePath", NOT_HERE, FAILING, "challengeWrong"),
    ("challengePath", {"challenges": (Challenge("127.0.0.1", "private"),)}, FAILING, "challengePrivate"),
    ("challengePath", {"challenges": (Challenge(OURS, "unreached", "timeout"),)}, UNKNOWN, "notReached"),
    (
        "challengePath",
        {"challenges": (Challenge(OURS, "ours"), Challenge(OURS_6, "noRoute"))},
        OK,
        "challengeReachable",
    ),
    ("challengePath", {"challenges": (Challenge(OURS, "noRoute"),)}, UNKNOWN, "notReached"),
    ("challengePath", NO_ADDRESSES, SKIPPED, "nothingPublished"),
    ("challengePath", NO_DNS, UNKNOWN, "noAnswer"),
    ("redirectLoop", {}, OK, "noLoop"),
    ("redirectLoop", {"redirects": Redirects("loop", ("a", "b", "a"))}, FAILING, "redirectLoop"),
    ("redirectLoop", {"redirects": Redirects("unreached")}, UNKNOWN, "notReached"),
    ("redirectLoop", NOT_HERE, SKIPPED, "notHere"),
    ("redirectLoop", NO_DNS, UNKNOWN, "noAnswer"),
    ("certificate", {}, OK, "certificateValid"),
    ("certificate", {"https": certificate(days_left=10)}, ATTENTION, "certificateEndsSoon"),
    ("certificate", {"https": certificate(days_left=3, lifetime=6.6)}, OK, "certificateValid"),
    ("certificate", {"https": certificate("expired", days_left=-1)}, FAILING, "certificateExpired"),
    ("certificate", {"https": certificate("notYetValid")}, FAILING, "certificateNotYetValid"),
    ("certificate", {"https": certificate("otherName", names=("x.example",))}, FAILING, "certificateOtherName"),
    ("certificate", {"https": certificate("untrusted")}, FAILING, "certificateUntrusted"),
    (
        "certificate",
        {"https": certificate("untrusted"), "subject": subject(protocol="http")},
        ATTENTION,
        "certificateUntrusted",
    ),
    ("certificate", {"https": Https(error="timeout")}, UNKNOWN, "notReached"),
    ("certificate", NOT_HERE, SKIPPED, "notHere"),
    ("certificate", NOT_MAPPED, SKIPPED, "notMapped"),
    ("hsts", {}, OK, "noHsts"),
    ("hsts", {"https": Https(certificate().certificate, "max-age=300")}, OK, "hstsFits"),
    ("hsts", {"https": Https(certificate().certificate, "max-age=0")}, OK, "noHsts"),
    ("hsts", {"https": Https(certificate("expired").certificate, "max-age=300")}, FAILING, "hstsConflict"),
    (
        "hsts",
        {"https": Https(certificate().certificate, "max-age=300"), "subject": subject(protocol="http")},
        ATTENTION,
        "hstsConflict",
    ),
    ("hsts", {"https": Https(certificate("untrusted").certificate, "max-age=300")}, ATTENTION, "hstsConflict"),
    ("hsts", {"subject": subject(host="bakery.dev", protocol="http")}, ATTENTION, "hstsConflict"),
    (
        "hsts",
        {"https": certificate("untrusted"), "subject": subject(host="bakery.dev", protocol="http")},
        FAILING,
        "hstsConflict",
    ),
    ("hsts", {"https": Https(error="timeout")}, UNKNOWN, "notReached"),
    ("hsts", NOT_HERE, SKIPPED, "notHere"),
]
MAILS: list[Case] = [
    ("mx", {}, OK, "mxRight"),
    ("mx", {"mail": mail(mx=empty("MX"))}, FAILING, "mxMissing"),
    ("mx", {"mail": mail(mx=found("MX", "0 ."))}, FAILING, "mxMissing"),
    ("mx", {"mail": mail(mx=found("MX", "10 mx.other.example"))}, FAILING, "mxElsewhere"),
    ("mx", {"mail": mail(mx=found("MX", "10 mail.host.example", "20 mx.other.example"))}, ATTENTION, "mxAlsoElsewhere"),
    ("mx", {"here": here(mail_host="")}, OK, "mxPresent"),
    ("mx", {"here": here(mail_host=""), "mail": mail(mx=empty("MX"))}, FAILING, "mxUnknown"),
    ("mx", {"mail": mail(mx=silent("MX"))}, UNKNOWN, "noAnswer"),
    ("mx", {"mail": None}, SKIPPED, "noMailboxes"),
    ("spf", {}, OK, "spfRight"),
    ("spf", {"mail": mail(spf=empty("TXT"))}, ATTENTION, "spfMissing"),
    ("spf", {"mail": mail(spf=found("TXT", "v=spf1 mx -all", "v=spf1 -all"))}, FAILING, "spfTwo"),
    ("spf", {"mail": mail(spf=found("TXT", "v=spf1 -all"))}, FAILING, "spfForbids"),
    ("spf", {"mail": mail(spf=found("TXT", "v=spf1 include:spf.host.example ~all"))}, OK, "spfRight"),
    ("spf", {"mail": mail(spf=silent("TXT"))}, UNKNOWN, "noAnswer"),
    ("spf", {"mail": None}, SKIPPED, "noMailboxes"),
    ("dkim", {}, OK, "dkimRight"),
    ("dkim", {"mail": mail(dkim=empty("TXT"))}, ATTENTION, "dkimMissing"),
    ("dkim", {"mail": mail(dkim=found("TXT", "v=DKIM1; p=BBBB"))}, FAILING, "dkimWrong"),
    ("dkim", {"mail": mail(dkim=silent("TXT"))}, UNKNOWN, "noAnswer"),
    ("dkim", {"mail": mail(dkim=None, dkim_value=None)}, SKIPPED, "dkimNotManaged"),
    ("dmarc", {}, OK, "dmarcRight"),
    ("dmarc", {"mail": mail(dmarc=missing("TXT"))}, ATTENTION, "dmarcMissing"),
    ("dmarc", {"mail": mail(dmarc=found("TXT", "v=DMARC1; p=none", "v=DMARC1; p=reject"))}, FAILING, "dmarcTwo"),
    ("dmarc", {"mail": mail(dmarc=found("TXT", "v=DMARC1; p=maybe"))}, FAILING, "dmarcInvalid"),
    ("dmarc", {"mail": mail(dmarc=silent("TXT"))}, UNKNOWN, "noAnswer"),
    ("dmarc", {"mail": None}, SKIPPED, "noMailboxes"),
    ("dnssec", {}, OK, "dnssecIntact"),
    ("dnssec", {"dnssec": Dnssec(HOST, "off")}, SKIPPED, "dnssecOff"),
    ("dnssec", {"dnssec": Dnssec(HOST, "broken", "noMatchingKey", ("1 15 2 AB",))}, FAILING, "dnssecBroken"),
    ("dnssec", {"dnssec": Dnssec(HOST, "noDs", "DNSKEY", ("1 15 2 AB",))}, ATTENTION, "dnssecNoDs"),
    ("dnssec", {"dnssec": Dnssec(HOST, "unknown", "DS")}, UNKNOWN, "noAnswerAtAll"),
    ("dnssec", {"dnssec": Dnssec(HOST, "excessive", "DNSKEY")}, UNKNOWN, "dnssecExcessive"),
]
CASES = NAMES + ADDRESSES + WEB + MAILS


def finding_of(code: str, changes: dict[str, Any]) -> Finding:
    finding = CHECKS[code](facts(**changes))
    assert finding.code == code
    return finding


@pytest.mark.parametrize(("code", "changes", "status", "reason"), CASES)
def test_the_result_of_a_check(code: str, changes: dict[str, Any], status: Status, reason: str) -> None:
    finding = finding_of(code, changes)
    assert (finding.status, finding.reason) == (status, reason)


@pytest.mark.parametrize("language", sorted(CATALOG.languages))
def test_every_result_has_texts_in_every_language(language: str) -> None:
    messages = messages_in(language)
    for code, changes, _, _ in CASES:
        finding = finding_of(code, changes)
        shown = present_finding(finding, HOST, messages)
        assert shown.detail and "{" not in shown.detail
        assert set(finding.records) <= set((shown.fix or "").splitlines()), (code, finding.reason)
        if finding.status is FAILING:
            assert shown.fix, finding.reason


def test_no_text_is_unused() -> None:
    used = {reason for _, _, _, reason in CASES}
    assert {key.removesuffix(FIX) for key in CATALOG.own["en"]} == used | {"recordsUnknown"}


def test_without_records_to_enter_the_support_is_asked() -> None:
    missing = Finding(code="nameExists", status=FAILING, reason="missing", facts={"zone": HOST})
    shown = present_finding(missing, HOST, messages_in("en"))
    assert shown.fix == CATALOG.own["en"]["recordsUnknown"]


def test_every_check_was_seen_with_every_status_that_it_can_have() -> None:
    seen = {(code, status) for code, _, status, _ in CASES}
    for code in CHECKS:
        assert (code, OK) in seen and (code, UNKNOWN) in seen, code
        assert {(code, ATTENTION), (code, FAILING)} & seen, code


def test_a_healthy_host_is_ok() -> None:
    findings = run_checks(HEALTHY)
    assert [each.code for each in findings] == list(CHECKS)
    assert {each.code: each.status for each in findings if each.status is not OK} == {}
    assert overall(findings) is OK


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        ([OK, SKIPPED], OK),
        ([OK, UNKNOWN], UNKNOWN),
        ([UNKNOWN, ATTENTION], ATTENTION),
        ([ATTENTION, FAILING, OK], FAILING),
        ([SKIPPED], UNKNOWN),
    ],
)
def test_the_overall_status_is_the_worst(statuses: list[Status], worst: Status) -> None:
    assert overall(Finding(code="x", status=each, reason="x") for each in statuses) is worst


def test_nothing_fails_if_no_source_responds() -> None:
    unknown = facts(
        **NO_DNS,
        registered=silent("SOA"),
        zone=Zone(None, silent("NS")),
        server_states={},
        caa=silent("CAA"),
        sibling=Sibling("x", silent("A"), silent("AAAA")),
        redirects=None,
        https=None,
        mail=mail(mx=silent("MX"), spf=silent("TXT"), dmarc=silent("TXT"), dkim=silent("TXT")),
        dnssec=Dnssec(HOST, "unknown"),
    )
    assert {each.status for each in run_checks(unknown)} == {UNKNOWN}


@pytest.mark.parametrize(
    ("code", "changes", "record"),
    [
        ("leadsHereIpv6", {"ipv6": ipv6(ELSEWHERE_6)}, f"{HOST}. 3600 IN AAAA {OURS_6}"),
        ("nameExists", NO_ADDRESSES, f"{HOST}. 3600 IN A {OURS}"),
        ("otherAddresses", {"ipv4": ipv4(OURS, ELSEWHERE)}, f"{HOST}. 3600 IN A {ELSEWHERE}"),
        ("caa", {"caa": found("CAA", '0 issue ";"')}, f'{HOST}. 3600 IN CAA 0 issue "letsencrypt.org"'),
        ("mx", {"mail": mail(mx=empty("MX"))}, f"{HOST}. 3600 IN MX 10 mail.host.example."),
        ("dkim", {"mail": mail(dkim=empty("TXT", f"s1._domainkey.{HOST}"))},
         f's1._domainkey.{HOST}. 3600 IN TXT "v=DKIM1; k=rsa; p=AAAA"'),
        ("dmarc", {"mail": mail(dmarc=missing("TXT"))}, f'_dmarc.{HOST}. 3600 IN TXT "v=DMARC1; p=quarantine"'),
        ("dnssec", {"dnssec": Dnssec(HOST, "noDs", "DNSKEY", ("1 15 2 AB",))}, f"{HOST}. 3600 IN DS 1 15 2 AB"),
    ],
)  # fmt: skip
def test_the_fix_has_the_exact_record(code: str, changes: dict[str, Any], record: str) -> None:
    assert record in finding_of(code, changes).records


def test_points_here_and_challenge_reachable() -> None:
    assert (HEALTHY.points_here, HEALTHY.challenge_reachable) == (True, True)
    elsewhere = facts(ipv6=ipv6(ELSEWHERE_6), challenges=(Challenge(OURS, "ours"), Challenge(ELSEWHERE_6, "other")))
    assert (elsewhere.points_here, elsewhere.challenge_reachable) == (False, False)
    assert facts(ipv6=Addresses(silent("AAAA"))).points_here is None
    assert facts(ipv4=ipv4(ELSEWHERE), ipv6=Addresses(silent("AAAA"))).points_here is False
    assert facts(**NO_ADDRESSES).points_here is False


@pytest.mark.parametrize(
    ("directory", "domain"),
    [
        ("https://acme-v02.api.letsencrypt.org/directory", "letsencrypt.org"),
        ("https://dv.acme-v02.api.pki.goog/directory", "pki.goog"),
        ("https://acme.zerossl.com/v2/DV90", "sectigo.com"),
    ],
)
def test_the_domain_of_an_authority(directory: str, domain: str) -> None:
    assert caa_domain(directory) == domain


def test_a_certificate_for_a_while_is_described_with_its_end() -> None:
    shown = present_finding(finding_of("certificate", {}), HOST, messages_in("en"))
    assert shown.found == f"{HOST}; 2026-06-30"
    assert "60 more days" in shown.detail and AT.year == 2026
