"""Metrics of deliveries."""

from collections.abc import Mapping

from sitewright.kit.metrics import Metrics


def count_attempts(metrics: Metrics, outcomes: Mapping[str, int]) -> None:
    counter = metrics.counter("sitewright_webhook_attempts", "Attempts to deliver webhooks by outcome.", ["outcome"])
    for outcome, count in outcomes.items():
        counter.labels(outcome).inc(count)


def set_backlog(metrics: Metrics, count: int) -> None:
    """Set by each worker periodically."""
    description = "Webhook deliveries that are due and not claimed, when a worker last counted."
    metrics.gauge("sitewright_webhook_backlog", description).set(count)
