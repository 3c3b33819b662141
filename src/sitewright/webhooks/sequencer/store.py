"""Statements of the sequencer, across brands, by functions in migrations/webhooks."""

from datetime import datetime

from sitewright.kit.db import Transaction


async def sequence_events(connection: Transaction, now: datetime, most: int) -> int:
    """Numbers at most `most` events of each brand and adds their deliveries; returns how many."""
    numbered: int = await connection.fetchval("select sequence_events($1, $2)", now, most)
    return numbered
