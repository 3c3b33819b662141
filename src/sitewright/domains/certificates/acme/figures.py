"""Metrics of automatic certificates, for Prometheus."""

from sitewright.domains.certificates.acme.accounts import store as accounts
from sitewright.domains.certificates.acme.states import store
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.metrics import gauge

TEXTS = {
    "valid": "Automatic certificates that are valid and renewed as planned.",
    "pending": "Automatic certificates that are being obtained for the first time.",
    "failing": "Automatic certificates that could not be obtained or renewed at the last attempt.",
    "expired": "Automatic certificates that have expired.",
}


async def collect_metrics(connection: Transaction) -> bytes:
    counts = await store.count_by_state(connection, clock.real_now())
    unavailable_since, skew = await accounts.read_problems(connection)
    down = 0 if unavailable_since is None else max(int((clock.now() - unavailable_since).total_seconds()), 1)
    gauges = [(f"automatic_certificates_{state}", TEXTS[state], count) for state, count in counts.items()]
    gauges += [
        ("acme_unavailable_seconds", "For how long a certificate authority has not responded; 0: it responds.", down),
        ("acme_clock_skew_seconds", "The difference between this service's clock and the authority's.", skew),
    ]
    return b"".join(gauge(f"sitewright_{name}", text, value) for name, text, value in gauges)
