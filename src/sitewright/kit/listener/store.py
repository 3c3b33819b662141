from sitewright.kit.db import Transaction


async def name_connection(connection: Transaction, name: str) -> None:
    """Set the name that `pg_stat_activity` shows."""
    await connection.execute("select set_config('application_name', $1, false)", name)


async def check_connection(connection: Transaction) -> None:
    """Raise if the connection is broken."""
    await connection.execute("select 1")
