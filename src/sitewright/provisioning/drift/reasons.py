"""The reasons of drift in words, for the API; the console has them in the languages of its readers."""

from sitewright.kit.hosts import decode_domain
from sitewright.provisioning.drift.kinds import Drift

REASONS = {
    "noSite": "The account holder pays for a package, but has no site.",
    "neverPublished": "The account holder pays for a package, but no site was ever published.",
    "offline": "The account holder pays for a package, but no site is online.",
    "notInPackage": "Live sites: {number}. The account holder's package has none.",
    "moreThanPackage": "Live sites: {number}. The account holder's package has {limit}.",
    "mailReceived": "The account holder is suspended, but mailboxes of {name} still receive mail: {number}.",
    "leadsElsewhere": "{name} does not lead to this service. Its health check says what to change.",
    "expiresSoon": "The certificate of {name} expires at {at}, and there is no new one.",
    "expired": "The certificate of {name} expired at {at}, and there is no new one.",
    "noExternalId": "No external id names the account holder: it was not created or adopted by the converging call.",
    "notRegistered": "{name} is not registered, but has mailboxes: {number}.",
}


def reason_of(drift: Drift) -> str:
    facts = drift.facts
    at = "" if facts.at is None else f"{facts.at:%Y-%m-%d %H:%M} UTC"
    name = decode_domain(facts.name) if facts.name else ""
    return REASONS[drift.code].format(number=facts.number, limit=facts.limit, name=name, at=at)
