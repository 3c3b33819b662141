"""Figures of zones for Prometheus."""

from sitewright.domains.dns import store
from sitewright.kit.db import Transaction
from sitewright.kit.metrics import gauge


async def collect_metrics(connection: Transaction) -> bytes:
    found = await store.read_figures(connection)
    gauges = [
        ("dns_zones", "Zones of account domains.", found["zones"]),
        ("dns_zones_out_of_sync", "Zones with changes that their provider does not have yet.", found["out_of_sync"]),
        ("dns_zones_waiting", "Zones whose plan waits for an operator: sitewright dns plan.", found["waiting"]),
        ("dns_zones_failing", "Zones whose provider refused the last change, or did not respond.", found["failed"]),
    ]
    return b"".join(gauge(f"sitewright_{name}", message, value) for name, message, value in gauges)
