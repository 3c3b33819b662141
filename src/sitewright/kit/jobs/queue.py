"""PgQueuer with fixed names: its tables are in the schema `jobs`, whatever the environment variables say."""

import asyncpg
from pgqueuer.adapters.persistence import qb
from pgqueuer.db import AsyncpgDriver
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.queries import Queries
from pgqueuer.types import Channel

from sitewright.kit.db import Transaction
from sitewright.kit.login_role import SERVICE_ROLE

SCHEMA = "jobs"
CHANNEL = Channel("sitewright_jobs")

# All names are explicit: PgQueuer would read missing ones from environment variables such as FUNCTION or CHANNEL.
_names = DBSettings(
    prefix="",
    db_schema=SCHEMA,
    channel=CHANNEL,
    function="queue_changed",
    statistics_table="statistics",
    queue_status_type="job_status",
    queue_table="queue",
    queue_table_log="log",
    trigger="queue_changed",
    schedules_table="schedules",
    durability=Durability.durable,
    widen_id=True,
)


def queries(driver: AsyncpgDriver) -> Queries:
    return Queries(
        driver,
        qbe=qb.QueryBuilderEnvironment(settings=_names),
        qbq=qb.QueryQueueBuilder(settings=_names),
        qbs=qb.QuerySchedulerBuilder(settings=_names),
    )


def queries_on(connection: Transaction) -> Queries:
    return queries(AsyncpgDriver(connection))


async def install_queue(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Create or upgrade PgQueuer's own tables; called under the lock of the migrations."""
    queue = queries_on(owner)
    if await queue.schema_is_installed():
        await queue.upgrade()
    else:
        await queue.install()
    await owner.execute(
        f"grant usage on schema {SCHEMA} to {SERVICE_ROLE};"
        f"grant select, insert, update, delete on all tables in schema {SCHEMA} to {SERVICE_ROLE};"
        f"grant usage on all sequences in schema {SCHEMA} to {SERVICE_ROLE}"
    )
