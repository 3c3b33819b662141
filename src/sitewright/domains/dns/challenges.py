"""TXT records for dns-01 challenges of certificate orders, at `_acme-challenge` of a zone."""

import asyncio
from collections.abc import Sequence
from functools import partial

from sitewright.domains.dns import store
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.domains.dns.reconciling import reconcile, serves
from sitewright.domains.dns.records import store as records_store
from sitewright.domains.dns.records.store import NewRecord
from sitewright.domains.dns.store import Zone
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources

TTL = 60
WAIT_SECONDS = 30
POLL_SECONDS = 0.5


async def present_challenge(resources: Resources, brand_ref: int, zone: str, name: str, values: Sequence[str]) -> None:
    """Publishes the values and returns when the zone's primary server has them. Outside any transaction.

    Raises DnsUnavailable if it does not have them in time; they are then withdrawn by the caller, as after success.
    """
    async with resources.database.transaction(brand_ref) as tx:
        found = await _find(tx, zone)
        await _replace(tx, found, name, values)
    await _send(resources, found)
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while not await serves(resources, brand_ref, found.ref, name, values):  # noqa: ASYNC110 - of another server
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError as error:
        raise DnsUnavailable(f"The name server does not serve {name} after {WAIT_SECONDS} s") from error


async def withdraw_challenge(resources: Resources, brand_ref: int, zone: str, name: str) -> None:
    """Removes the values; the worker sends the change. Does nothing for a zone that no longer exists."""
    async with resources.database.transaction(brand_ref) as tx:
        found = await store.find_zone_by_name(tx, zone)
        if found is not None:
            await _replace(tx, found, name, [])
            await store.mark_due(tx, [found.ref], clock.now())


async def _find(tx: Transaction, zone: str) -> Zone:
    found = await store.find_zone_by_name(tx, zone)
    if found is None or found.provider is None:
        raise DnsUnavailable(f"The service does not manage a zone {zone}")
    return found


async def _replace(tx: Transaction, zone: Zone, name: str, values: Sequence[str]) -> None:
    await store.find_zone(tx, zone.ref, lock=True)
    now, records = clock.now(), await records_store.list_records(tx, zone.ref)
    present = [each for each in records if each.owner == "challenge" and each.name == name and not each.is_removed]
    gone = [each.ref for each in present if each.value not in values]
    added = [value for value in dict.fromkeys(values) if value not in {each.value for each in present}]
    if not gone and not added:
        return
    await records_store.remove_records(tx, gone, now)
    if added:
        await records_store.insert_records(tx, zone.ref, [_challenge(name, value) for value in added], now)
    await store.mark_changed(tx, zone.ref, now)


def _challenge(name: str, value: str) -> NewRecord:
    return NewRecord(type="TXT", name=name, value=value, ttl=TTL, priority=None, owner="challenge")


async def _send(resources: Resources, zone: Zone) -> None:
    """Now, without the outbox. Other changes of the zone that wait for an operator do not hold the challenge up."""
    send = partial(reconcile, resources, zone.brand_ref, zone.ref, wait_seconds=WAIT_SECONDS)
    waiting = await send(only_challenges=zone.waits_since is not None)
    if waiting is not None:
        await send(only_challenges=True)
