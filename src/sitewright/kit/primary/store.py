from sitewright.kit.pool import Connection


async def writable_timeline(connection: Connection) -> int:
    """The server's timeline, which grows with every failover; 0 if it does not accept writes.

    A former primary that does not know of the failover yet still accepts statements, at a lower timeline.
    """
    statement = await connection.prepare(
        "select case when current_setting('transaction_read_only') = 'on' then 0"
        " else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end"
    )
    timeline: int = await statement.fetchval()
    return timeline
