"""Certificates that come to their end: whoever runs the brand is told in time, monitoring is told, old ones go.

What matters is the last certificate of a name: one whose names all have another that lasts longer is nobody's worry.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from sitewright.domains.certificates import store
from sitewright.domains.certificates.mails import CERTIFICATE_EXPIRING
from sitewright.domains.certificates.store import ListedCertificate
from sitewright.kit import clock, mail
from sitewright.kit.addresses import is_address
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import Schedule
from sitewright.kit.mail import Mail
from sitewright.kit.metrics import gauge
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands

DAYS_BEFORE = (1, 7, 14, 30)
SOON = timedelta(days=max(DAYS_BEFORE))
KEPT_AFTER_END = timedelta(days=30)
MOST_LINES, MOST_NAMES = 100, 3
FOR_EVER = datetime.max.replace(tzinfo=UTC)
_log = logging.getLogger("sitewright.certificates")


async def list_certificates(connection: Transaction, within: timedelta | None = None) -> list[ListedCertificate]:
    """Across brands, the first to expire first. `within`: those that end by then, or have ended, and are the last of a
    name.
    """
    if within is None:
        return await store.all_certificates(connection, FOR_EVER)
    found = await store.all_certificates(connection, clock.real_now() + within)
    return [each for each in found if each.is_last]


async def warn(resources: Resources) -> None:
    """Each brand is told 30, 14, 7 and 1 days before a certificate ends: once each, however often this runs."""
    now = clock.real_now()
    by_brand_and_days: dict[tuple[int, int], list[ListedCertificate]] = defaultdict(list)
    for each in await _ending(resources, now):
        days = next(days for days in DAYS_BEFORE if each.not_after - now <= timedelta(days=days))
        by_brand_and_days[each.brand_ref, days].append(each)
    for (brand_ref, days), certificates in by_brand_and_days.items():
        with _failing_alone(brand_ref):
            async with resources.database.transaction(brand_ref) as tx:
                await _warn_brand(tx, resources, brand_ref, days, certificates)


async def log_unreachable(resources: Resources) -> None:
    """A brand without a contact cannot be told: whoever reads the log is. It is warned as soon as it has a contact."""
    by_brand: dict[int, list[ListedCertificate]] = defaultdict(list)
    for each in await _ending(resources, clock.real_now()):
        by_brand[each.brand_ref].append(each)
    for brand_ref, certificates in by_brand.items():
        with _failing_alone(brand_ref):
            async with resources.database.transaction(brand_ref) as tx:
                contact = await _contact(tx)
            if contact is None:
                words = "certificates end within %d days, and the brand has no contact address to tell: brand %d, %s"
                refs = [f"certificate {each.ref}" for each in certificates]
                _log.warning(words, SOON.days, brand_ref, shown(refs, MOST_LINES))


async def _ending(resources: Resources, now: datetime) -> list[ListedCertificate]:
    async with resources.database.connection() as connection:
        return [each for each in await list_certificates(connection, SOON) if each.not_after > now]


@contextmanager
def _failing_alone(brand_ref: int) -> Iterator[None]:
    """What fails for one brand is tried again the next time, and keeps nobody else from being told."""
    try:
        yield
    except Exception as error:
        _log.error("brand %d could not be told of certificates that end", brand_ref, exc_info=error)


async def _warn_brand(
    tx: Transaction, resources: Resources, brand_ref: int, days: int, certificates: list[ListedCertificate]
) -> None:
    """What is noted as told is in the outbox: both are written, or neither."""
    contact = await _contact(tx)
    if contact is None:
        return
    untold = await store.note_warnings(tx, [each.ref for each in certificates], days, clock.real_now())
    if not untold:
        return
    lines = _lines([each for each in certificates if each.ref in untold])
    facts = {"to": contact, "days": str(days), "certificates": lines}
    letter = Mail(kind=CERTIFICATE_EXPIRING, user_ref=None, facts=facts)
    await mail.put(tx, resources.sealer, brand_ref, [letter])


async def _contact(tx: Transaction) -> str | None:
    """Where mail to whoever runs the brand can go."""
    contact = (await brands.settings_of_brand(tx)).contact
    return contact if contact is not None and is_address(contact) else None


def _lines(certificates: Sequence[ListedCertificate]) -> str:
    lines = [f"{each.not_after:%Y-%m-%d}  {shown(each.domains)}" for each in certificates[:MOST_LINES]]
    more = len(certificates) - len(lines)
    return "\n".join([*lines, f"+ {more}"] if more else lines)


def shown(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """The first few."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f", + {more}" if more > 0 else "")


async def prune(resources: Resources) -> None:
    async with resources.database.connection() as connection:
        await store.prune(connection, clock.real_now() - KEPT_AFTER_END)


async def figures(connection: Transaction) -> bytes:
    """For Prometheus."""
    now = clock.real_now()
    found = await store.figures(connection, now, SOON)
    gauges = [
        ("certificates", "Certificates kept.", found.kept),
        ("certificates_expiring", "Those that end within 30 days, and no other has their names.", found.expiring),
        ("certificates_expired", "Those that have ended, and no other has their names.", found.expired),
    ]
    if found.next_end is not None:
        words = "Seconds until the next certificate ends."
        gauges.append(("certificate_next_end_seconds", words, int((found.next_end - now).total_seconds())))
    return b"".join(gauge(f"sitewright_{name}", words, value) for name, words, value in gauges)


SCHEDULES = [
    Schedule("warn-of-certificates", "11 * * * *", warn),
    Schedule("log-unreachable-brands", "13 6 * * *", log_unreachable),
    Schedule("prune-certificates", "37 * * * *", prune),
]
