from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction


class Node(msgspec.Struct, frozen=True):
    """A running process."""

    ref: int
    host: str
    kind: str
    process: int
    version: str
    started_at: datetime
    seen_at: datetime


async def insert_node(connection: Transaction, host: str, kind: str, process: int, version: str, now: datetime) -> int:
    ref: int = await connection.fetchval(
        "insert into nodes (host, kind, process, version, started_at, seen_at) values ($1, $2, $3, $4, $5, $5)"
        " returning ref",
        host,
        kind,
        process,
        version,
        now,
    )
    return ref


async def touch_node(connection: Transaction, ref: int, now: datetime) -> bool:
    """False if the row was deleted, since the process was not seen for long."""
    return await connection.execute("update nodes set seen_at = $2 where ref = $1", ref, now) == "UPDATE 1"


async def delete_node(connection: Transaction, ref: int) -> None:
    await connection.execute("delete from nodes where ref = $1", ref)


async def delete_unseen(connection: Transaction, before: datetime) -> None:
    await connection.execute("delete from nodes where seen_at < $1", before)


async def list_nodes(connection: Transaction) -> list[Node]:
    """A thousand at the most, by host."""
    rows = await connection.fetch(
        "select ref, host, kind, process, version, started_at, seen_at from nodes"
        " order by host, kind, process limit 1000"
    )
    return [Node(*row) for row in rows]
