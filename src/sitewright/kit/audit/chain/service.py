"""The hash chain of the audit log: any entry that was changed, removed or reordered later breaks it.

Entries are chained after their transactions have committed, so that those who append do not wait for each other. Each
brand has a chain, and so has the environment.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from sitewright.kit import clock
from sitewright.kit.audit.chain import store
from sitewright.kit.audit.chain.store import Head, Link
from sitewright.kit.db import Database
from sitewright.kit.resources import Resources

BATCH = 1000
MIN_AGE = timedelta(days=30)
"""Younger entries are never deleted by retention."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Verdict(msgspec.Struct, frozen=True):
    """The result of verifying one chain."""

    head: Head
    entries: int
    findings: list[str]
    """What was changed, removed or reordered; empty if nothing was."""


async def chain_entries(resources: Resources) -> None:
    """Chains all entries that have committed."""
    chained = BATCH
    while chained >= BATCH:
        async with resources.database.connection() as connection:
            chained = await store.chain_entries(connection, BATCH)


async def list_heads(database: Database) -> list[Head]:
    """The newest link of each chain."""
    async with database.connection() as connection:
        return await store.list_heads(connection)


async def verify(database: Database, head: Head, sealed: Mapping[int, bytes]) -> Verdict:
    """Reads the whole chain up to its head. `sealed`: hashes by sequence that were kept elsewhere."""
    verdict = await _verify(database, head, sealed)
    now = {each.brand_ref: each for each in await list_heads(database)}.get(head.brand_ref)
    if verdict.findings and now is not None and now.pruned != head.pruned:  # retention deleted links meanwhile
        return await _verify(database, now, sealed)
    return verdict


def missing(brand_ref: int) -> Verdict:
    """For a chain that was sealed and does not exist any more."""
    return Verdict(Head(brand_ref, 0, b"", 0, b""), 0, ["the whole chain was removed"])


async def _verify(database: Database, head: Head, sealed: Mapping[int, bytes]) -> Verdict:
    findings: list[str] = []
    former, expected, entries = head.pruned_hash, head.pruned + 1, 0
    if sealed.get(head.pruned, former) != former:
        findings.append(f"the deleted entries up to place {head.pruned} are not those that were sealed")
    async for link in _links(database, head):
        entries += 1
        findings += _check_place(link, expected, former)
        findings += _check_entry(link)
        if sealed.get(link.sequence, link.hash) != link.hash:
            findings.append(f"the chain up to place {link.sequence} is not the one that was sealed")
        former, expected = link.hash, link.sequence + 1
    if (expected - 1, former) != (head.sequence, head.hash):
        findings.append(f"the chain ends at {expected - 1} and not, as its head says, at {head.sequence}")
    findings += [f"place {each} of the chain was sealed, and is missing" for each in sealed if each > head.sequence]
    return Verdict(head, entries, findings)


async def _links(database: Database, head: Head) -> AsyncIterator[Link]:
    """In pages: each is read in a short transaction, and memory stays constant."""
    after = head.pruned
    while after < head.sequence:
        async with database.connection() as connection:
            page = await store.read_links(connection, head.brand_ref, after, BATCH)
        for link in page:
            if link.sequence <= head.sequence:
                yield link
        if not page:
            return
        after = page[-1].sequence


def _check_place(link: Link, expected: int, former: bytes) -> Sequence[str]:
    if link.sequence != expected:
        return [f"places {expected} to {link.sequence - 1} of the chain are missing"]
    if link_hash(former, link) != link.hash:
        return [f"place {link.sequence} of the chain (entry {link.entry_ref}) was changed or reordered"]
    return []


def _check_entry(link: Link) -> Sequence[str]:
    if link.entry is None:
        is_old = link.at < clock.real_now() - MIN_AGE
        return [] if is_old else [f"entry {link.entry_ref} was removed"]
    if hashlib.sha256(link.entry.encode()).digest() != link.digest:
        return [f"entry {link.entry_ref} was changed"]
    return []


def link_hash(former: bytes, link: Link) -> bytes:
    """As `audit_link_hash` of the database computes it."""
    microseconds = (link.at - _EPOCH) // timedelta(microseconds=1)
    text = f"{link.sequence} {link.entry_ref} {microseconds} {link.digest.hex()}"
    return hashlib.sha256(former + text.encode()).digest()
