"""The 32 migrations of before the baselines, for the tests of the upgrade. Removed with upgrade/from_0032.sql."""

import re
from pathlib import Path

from sitewright.kit.login_role import SERVICE_ROLE
from sitewright.kit.migrations import ensure_roles
from tests.support.users import OwnerConnection

LAST = 32


async def migrate_as_before(connection: OwnerConnection, up_to: int = LAST) -> None:
    """What the runner of the previous release did."""
    await ensure_roles(connection)
    await connection.execute(
        "create table if not exists schema_migrations"
        " (number integer primary key, name text not null, applied_at timestamptz not null default now());"
        f" grant select on schema_migrations to {SERVICE_ROLE}; grant usage on schema public to {SERVICE_ROLE};"
        f" revoke create on schema public from public, {SERVICE_ROLE}"
    )
    for file in sorted(Path(__file__).parent.glob("*.sql"))[:up_to]:
        found = re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name)
        assert found
        async with connection.transaction():
            await connection.execute(file.read_text())
            await connection.execute(
                "insert into schema_migrations (number, name) values ($1, $2)", int(found[1]), found[2]
            )
