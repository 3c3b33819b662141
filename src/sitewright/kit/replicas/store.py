from sitewright.kit.db import Transaction


async def read_position(connection: Transaction) -> int:
    """The end of the primary's write-ahead log, in bytes. Raises `ObjectNotInPrerequisiteState` on a replica."""
    position: int = await connection.fetchval("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
    return position


async def has_replayed(connection: Transaction, position: int) -> bool:
    """Whether the server is a replica that has replayed the write-ahead log up to this position."""
    replayed: bool = await connection.fetchval(
        "select pg_is_in_recovery()"
        " and coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') >= $1::bigint, false)",
        position,
    )
    return replayed
