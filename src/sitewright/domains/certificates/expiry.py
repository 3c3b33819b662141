"""Warns brands of certificates that expire soon, exports metrics, and deletes expired certificates.

Only the last certificate of a name counts: one whose names all have another that lasts longer causes no warning.
"""

import logging
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from sitewright.domains.certificates import names, store
from sitewright.domains.certificates.certificate_events import EXPIRING, event_body
from sitewright.domains.certificates.mails import CERTIFICATE_EXPIRING
from sitewright.domains.certificates.store import ListedCertificate
from sitewright.events import service as events
from sitewright.kit import clock, mail
from sitewright.kit.addresses import is_address
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import Schedule
from sitewright.kit.mail import Mail
from sitewright.kit.metrics import gauge
from sitewright.kit.pruning import prune_in_batches
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands

DAYS_BEFORE = (1, 7, 14, 30)
AUTOMATIC_DAYS_BEFORE = (1, 7, 14)
"""Of automatic certificates, which have been renewed by then unless something is wrong."""
USUAL_LIFETIME = timedelta(days=90)
"""For shorter ones the warnings come later in proportion, so that they are not sent all the time."""
RETENTION_AFTER_EXPIRY = timedelta(days=30)
MAX_LINES, MAX_NAMES = 100, 3
NO_LIMIT = datetime.max.replace(tzinfo=UTC)
_log = logging.getLogger("sitewright.certificates")


async def list_certificates(connection: Transaction, within: timedelta | None = None) -> list[ListedCertificate]:
    """Across brands, the first to expire first. `within`: only those that expire by then, or have expired, and are the
    last of a name.
    """
    if within is None:
        return await store.all_certificates(connection, NO_LIMIT)
    found = await store.all_certificates(connection, clock.real_now() + within)
    return [each for each in found if each.is_last]


def level_of(certificate: ListedCertificate, now: datetime) -> int | None:
    """The warning that is due, by its number of days; for short lifetimes these are shortened in proportion."""
    lifetime = min(certificate.not_after - certificate.not_before, USUAL_LIFETIME)
    levels = AUTOMATIC_DAYS_BEFORE if certificate.source == "automatic" else DAYS_BEFORE
    left = certificate.not_after - now
    return next((days for days in levels if left <= timedelta(days=days) * (lifetime / USUAL_LIFETIME)), None)


async def warn(resources: Resources) -> None:
    """Warns each brand 30, 14, 7 and 1 days before a certificate expires: once each, however often this runs."""
    now = clock.real_now()
    by_brand_and_days: dict[tuple[int, int], list[ListedCertificate]] = defaultdict(list)
    for each in await _expiring(resources, now):
        days = level_of(each, now)
        if days is not None:
            by_brand_and_days[each.brand_ref, days].append(each)
    for (brand_ref, days), certificates in by_brand_and_days.items():
        with _isolate_failure(brand_ref):
            async with resources.database.transaction(brand_ref) as tx:
                await _warn_brand(tx, resources, brand_ref, days, certificates)


async def log_unreachable(resources: Resources) -> None:
    """Logs a warning for brands without a contact address; they get the mail as soon as they have one."""
    by_brand: dict[int, list[ListedCertificate]] = defaultdict(list)
    for each in await _expiring(resources, clock.real_now()):
        by_brand[each.brand_ref].append(each)
    for brand_ref, certificates in by_brand.items():
        with _isolate_failure(brand_ref):
            async with resources.database.transaction(brand_ref) as tx:
                contact = await _contact(tx)
            if contact is None:
                message = "certificates expire soon, and the brand has no contact address: brand %d, %s"
                refs = [f"certificate {each.ref}" for each in certificates]
                _log.warning(message, brand_ref, abbreviate(refs, MAX_LINES))


async def _expiring(resources: Resources, now: datetime) -> list[ListedCertificate]:
    async with resources.database.connection() as connection:
        return [each for each in await store.expiring_certificates(connection, now) if each.not_after > now]


@contextmanager
def _isolate_failure(brand_ref: int) -> Iterator[None]:
    """A failure for one brand does not stop the others, and is retried at the next run."""
    try:
        yield
    except Exception as error:
        _log.error("brand %d could not be warned about expiring certificates", brand_ref, exc_info=error)


async def _warn_brand(
    tx: Transaction, resources: Resources, brand_ref: int, days: int, certificates: list[ListedCertificate]
) -> None:
    """Records the warnings, emits the events and puts the mail into the outbox, in one transaction."""
    now = clock.real_now()
    contact = await _contact(tx)
    await _emit(tx, brand_ref, days, certificates)
    if contact is None:
        return
    unsent = await store.record_warnings(tx, [each.ref for each in certificates], days, now)
    if not unsent:
        return
    listed = [each for each in certificates if each.ref in unsent]
    is_usual = any(each.not_after - each.not_before >= USUAL_LIFETIME for each in listed)
    left = max(each.not_after for each in listed) - now
    shown = days if is_usual else max(math.ceil(left / timedelta(days=1)), 1)
    facts = {"to": contact, "days": str(shown), "certificates": _lines(listed)}
    message = Mail(kind=CERTIFICATE_EXPIRING, user_ref=None, facts=facts)
    await mail.put(tx, resources.sealer, brand_ref, [message])


async def _emit(tx: Transaction, brand_ref: int, days: int, certificates: list[ListedCertificate]) -> None:
    """One event for each site, also where the brand has no contact address; the warnings have negative numbers."""
    unsent = await store.record_warnings(tx, [each.ref for each in certificates], -days, clock.real_now())
    listed = [each for each in certificates if each.ref in unsent]
    hosts = await store.mapped_hosts(tx, [name for each in listed for name in each.domains]) if listed else []
    for certificate in listed:
        own = [host for host in hosts if names.covers(certificate.domains, host.domain)]
        for site_ref in dict.fromkeys(host.site_ref for host in own):
            domains = {str(host.ref): host.domain for host in own if host.site_ref == site_ref}
            body = event_body(brand_ref, site_ref, domains, certificate.source, certificate.not_after)
            await events.emit(tx, EXPIRING, body, clock.now())


async def _contact(tx: Transaction) -> str | None:
    """The mail address of the brand's operators, if it is valid."""
    contact = (await brands.settings_of_brand(tx)).contact
    return contact if contact is not None and is_address(contact) else None


def _lines(certificates: Sequence[ListedCertificate]) -> str:
    lines = [f"{each.not_after:%Y-%m-%d}  {abbreviate(each.domains)}" for each in certificates[:MAX_LINES]]
    more = len(certificates) - len(lines)
    return "\n".join([*lines, f"+ {more}"] if more else lines)


def abbreviate(names: Sequence[str], most: int = MAX_NAMES) -> str:
    """The first few, and the number of the others."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f", + {more}" if more > 0 else "")


async def prune(resources: Resources) -> None:
    ended_before = clock.real_now() - RETENTION_AFTER_EXPIRY
    await prune_in_batches(resources.database, lambda tx, limit: store.prune(tx, ended_before, limit))


async def collect_metrics(connection: Transaction) -> bytes:
    """For Prometheus."""
    now = clock.real_now()
    found = await store.read_metrics(connection, now)
    gauges = [
        ("certificates", "Certificates kept.", found.kept),
        (
            "certificates_expiring",
            "Certificates that expire within 30 days (short-lived ones: soon for their lifetime), without a successor.",
            found.expiring,
        ),
        ("certificates_expired", "Expired certificates without a successor.", found.expired),
    ]
    if found.next_end is not None:
        message = "Seconds until the next certificate expires."
        gauges.append(("certificate_next_end_seconds", message, int((found.next_end - now).total_seconds())))
    return b"".join(gauge(f"sitewright_{name}", message, value) for name, message, value in gauges)


SCHEDULES = [
    Schedule("warn-of-certificates", "11 * * * *", warn),
    Schedule("log-unreachable-brands", "13 6 * * *", log_unreachable),
    Schedule("prune-certificates", "37 * * * *", prune),
]
