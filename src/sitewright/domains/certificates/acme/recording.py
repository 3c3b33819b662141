"""Records what became of an attempt, with the events that report it, in the group's transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sitewright.domains.certificates.acme import retries, store
from sitewright.domains.certificates.acme.groups import SERVICE
from sitewright.domains.certificates.acme.reasons import GIVEN_UP, OWN_GIVEN_UP, Reason
from sitewright.domains.certificates.acme.store import Group, GroupHost
from sitewright.domains.certificates.acme.work import Work
from sitewright.domains.certificates.certificate_events import FAILING, event_body
from sitewright.events import service as events
from sitewright.kit import clock
from sitewright.kit.db import Transaction


async def fail(
    tx: Transaction, work: Work, group: Group, reason: Reason, hosts: Sequence[GroupHost], retry_after: float | None
) -> None:
    """Tried again after the back-off; the first failure of a series is an event."""
    failures = group.failures + 1
    delay = retries.delay_after(failures, retry_after)
    given_up = OWN_GIVEN_UP if group.brand_ref == SERVICE else GIVEN_UP
    due, detail = (None, reason.detail + given_up) if delay is None else (clock.now() + delay, reason.detail)
    await store.save_failure(tx, work.item, reason.code, detail, failures, group.failing_since or clock.now(), due)
    work.outcomes.count("dead" if delay is None else "retried", work.item)
    if group.failures == 0 or delay is None:
        await emit(tx, FAILING, group.brand_ref, hosts, group.not_after, Reason(reason.code, detail))


async def postpone(tx: Transaction, work: Work, group: Group, reason: Reason, at: datetime) -> None:
    """Tried again at `at`; the host is not at fault, so that the back-off stays as it is."""
    await store.save_failure(tx, work.item, reason.code, reason.detail, group.failures, group.failing_since, at)
    work.outcomes.count("retried", work.item)


async def wait_for_authority(tx: Transaction, work: Work, group: Group, reason: Reason, delay: timedelta) -> None:
    """As `postpone`; the time counts towards the day after which the second authority is used."""
    since = group.failing_since or clock.now()
    await store.save_failure(tx, work.item, reason.code, reason.detail, group.failures, since, clock.now() + delay)
    work.outcomes.count("retried", work.item)


async def pause(tx: Transaction, work: Work, group: Group, reason: Reason, hosts: Sequence[GroupHost]) -> None:
    """Nothing is tried until a host changes. A host that had a certificate and no longer points here is reported."""
    is_lost = group.not_after is not None and not any(each.points_here for each in hosts)
    failures = max(group.failures, 1) if is_lost else 0
    since = (group.failing_since or clock.now()) if is_lost else None
    await store.save_failure(tx, work.item, reason.code, reason.detail, failures, since, None)
    if is_lost and group.reason_code != reason.code:
        await emit(tx, FAILING, group.brand_ref, hosts, group.not_after, reason)


async def emit(
    tx: Transaction,
    kind: str,
    brand_ref: int,
    hosts: Sequence[GroupHost],
    not_after: datetime | None,
    reason: Reason | None = None,
) -> None:
    """One event for each site; the service's own host names have none."""
    if brand_ref == SERVICE:
        return
    for site_ref in dict.fromkeys(each.site_ref for each in hosts):
        domains = {str(each.domain_ref): each.host for each in hosts if each.site_ref == site_ref}
        described = None if reason is None else (reason.code, reason.detail)
        body = event_body(brand_ref, site_ref, domains, "automatic", not_after, described)
        await events.emit(tx, kind, body, clock.now())
