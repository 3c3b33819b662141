"""Statements of the chains, across brands, by functions in migrations/kit/functions_audit.sql."""

from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction

ENVIRONMENT = 0
"""The `brand_ref` of the chain of entries without a brand."""


class Head(msgspec.Struct, frozen=True):
    """The newest link of a chain, and the newest of those that retention has deleted."""

    brand_ref: int
    sequence: int
    hash: bytes
    pruned: int
    pruned_hash: bytes


class Link(msgspec.Struct, frozen=True):
    sequence: int
    entry_ref: int
    at: datetime
    digest: bytes
    hash: bytes
    entry: str | None
    """The entry as the text that `digest` was made of; None if it was deleted."""


async def chain_entries(connection: Transaction, most: int) -> int:
    """At most `most` entries of each brand; returns how many."""
    chained: int = await connection.fetchval("select chain_audit_entries($1)", most)
    return chained


async def list_heads(connection: Transaction) -> list[Head]:
    return [Head(*row) for row in await connection.fetch("select * from list_audit_heads()")]


async def read_links(connection: Transaction, brand_ref: int, after: int, most: int) -> list[Link]:
    rows = await connection.fetch("select * from read_audit_chain($1, $2, $3)", brand_ref, after, most)
    return [Link(*row) for row in rows]
