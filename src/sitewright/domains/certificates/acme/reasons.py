"""Why a certificate is not obtained, in plain words: a stable code, and a sentence that says what to do."""

import msgspec

from sitewright.domains.certificates.acme.client.errors import Problem

UNAVAILABLE = "authorityUnavailable"
NOT_POINTING_HERE = "notPointingHere"
NOT_IN_PACKAGE = "notInPackage"
LIMIT_REACHED = "limitReached"
PROCESSING = "processing"
DNS_UNAVAILABLE = "dnsUnavailable"
SWITCHED_OFF = "switchedOff"
NOT_CHECKED = "notChecked"
INTERNAL = "internal"
GIVEN_UP = " It is not tried again by itself: repair the cause, then check the domain again."
OWN_GIVEN_UP = " It is not tried again by itself: repair the cause, then restart the service."
_OF_PROBLEMS = {
    "caa": ("caaForbids", "A CAA record of the domain forbids this certificate authority. Change the record."),
    "dns": ("nameNotFound", "The certificate authority cannot resolve the name. Check its DNS records and DNSSEC."),
    "connection": (
        "challengeNotReachable",
        "The certificate authority cannot reach the host on port 80. Check its A and AAAA records and the firewall.",
    ),
    "unauthorized": (
        "challengeRefused",
        "Another server than this service answered the certificate authority. Check the A and AAAA records.",
    ),
    "incorrectResponse": (
        "challengeRefused",
        "Another server than this service answered the certificate authority. Check the A and AAAA records.",
    ),
    "tls": ("challengeNotReachable", "The certificate authority found a TLS error at the host. Check for redirects."),
    "rateLimited": ("rateLimited", "The certificate authority limits the number of orders. The service retries later."),
    "rejectedIdentifier": ("nameRefused", "The certificate authority does not issue certificates for this name."),
    "unsupportedIdentifier": ("nameRefused", "The certificate authority does not issue certificates for this name."),
    "externalAccountRequired": (
        "accountRefused",
        "The certificate authority requires external account binding. Set acme_eab_kid and acme_eab_key.",
    ),
    "userActionRequired": (
        "accountRefused",
        "The certificate authority wants the operator to act, for example to accept new terms.",
    ),
    "invalidContact": ("accountRefused", "The certificate authority refuses the address in acme_contact."),
    "unsupportedContact": ("accountRefused", "The certificate authority refuses the address in acme_contact."),
    "invalidProfile": ("profileRefused", "The certificate authority does not offer the profile in acme_profile."),
}  # fmt: skip


class Reason(msgspec.Struct, frozen=True):
    code: str
    detail: str


def reason_of_problem(problem: Problem) -> Reason:
    """The authority's own words come last, for support staff."""
    code, text = _OF_PROBLEMS.get(
        problem.kind, ("orderRefused", "The certificate authority refused the order. The service retries.")
    )
    said = f" It said: {problem.text}" if problem.text else ""
    return Reason(code, text + said)


def not_pointing_here(hosts: list[str]) -> Reason:
    names = ", ".join(hosts[:5])
    return Reason(
        NOT_POINTING_HERE, f"{names} does not point to this service. Set its A and AAAA records to the addresses here."
    )
