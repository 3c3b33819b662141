"""Account holders by the thousand or the million, put into the database of the service with a few statements.

Their refs begin where no measurement and no demo has any, so that a number that stands in a statement tells what it is.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import asyncpg
import msgspec

MANY = 500_000
PACKAGES_FROM = 10**12
"""What the ref of a user's account package is above the ref of the user."""


class Population(msgspec.Struct, frozen=True, kw_only=True):
    """Users of one brand, each with the package of that key since their creation."""

    brand_ref: int
    first_ref: int
    users: int
    package: str
    trial_ended_seconds_ago: int | None = None

    @property
    def last_ref(self) -> int:
        return self.first_ref + self.users - 1

    @property
    def refs(self) -> range:
        return range(self.first_ref, self.last_ref + 1)

    async def fill(self, owner: "asyncpg.Connection[asyncpg.Record]") -> None:
        """All at once for whoever looks, unless they are there already. The statistics fit, as they do where users come
        one after another."""
        if await owner.fetchval(IS_THERE, self.brand_ref, self.first_ref):
            return
        async with owner.transaction(), _indexed_afterwards(owner) if self.users >= MANY else nullcontext():
            await owner.execute(WITHOUT_CHECKS)
            await owner.execute(USERS, self.brand_ref, self.first_ref, self.last_ref)
            await owner.execute(
                ACCOUNT_PACKAGES,
                self.brand_ref,
                self.first_ref,
                self.last_ref,
                self.package,
                self.trial_ended_seconds_ago,
                PACKAGES_FROM,
            )
            await owner.execute("analyze users, account_packages, user_counts")
            await owner.execute("alter table users enable trigger count_new_users")

    async def put_into(self, database_url: str) -> None:
        owner = await asyncpg.connect(database_url)
        await self.fill(owner)
        await owner.close()


@asynccontextmanager
async def _indexed_afterwards(owner: "asyncpg.Connection[asyncpg.Record]") -> AsyncIterator[None]:
    """To sort a million rows once takes half as long as to put each in its places."""
    indexes = await owner.fetch(INDEXES)
    for name, _definition in indexes:
        await owner.execute(f"drop index {name}")
    yield
    for _name, definition in indexes:
        await owner.execute(definition)


async def settle(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Does now what PostgreSQL would do of itself in the midst of the next measurement."""
    await owner.execute("vacuum analyze users, account_packages, user_counts")
    await owner.execute("checkpoint")


MILLION = Population(brand_ref=2, first_ref=2_000_000_000, users=1_000_000, package="pro")
"""Measurements that only read share it."""


async def forget_mails(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """What a measurement left in the outbox would keep the worker busy in the next one."""
    await owner.execute("delete from mails where sent_at is null")


IS_THERE = "select exists (select from users where brand_ref = $1 and ref = $2)"
INDEXES = """
    select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index i
     where indrelid = any('{users, account_packages}'::regclass[])
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
"""
"""Those that no constraint needs."""
WITHOUT_CHECKS = """
    set local maintenance_work_mem = '256MB';
    alter table users enable always trigger count_new_users;
    set local session_replication_role = replica
"""
"""Row by row, checking what the rows refer to takes longer than writing them. They are still counted."""
USERS = """
    insert into users (brand_ref, ref, first_name, last_name, username, username_key, email, email_key, password_hash,
                       language_code, created_at, updated_at)
    select $1, n, 'First', 'Last', 'user-' || n, 'user-' || n, 'user-' || n || '@mail.example',
           'user-' || n || '@mail.example', '', 'en', at, at
      from generate_series($2::bigint, $3::bigint) n,
           lateral (select now() - ($3 - n) * interval '1 second' - interval '30 days') created (at)
"""
ACCOUNT_PACKAGES = """
    insert into account_packages (brand_ref, ref, user_ref, package_ref, is_subscription, is_trial,
                                  billing_period_months, price, currency_ref, delete_on_expiry, started_at, due_at,
                                  updated_at)
    select u.brand_ref, u.ref + $6, u.ref, p.ref, true, $5::integer is not null, 1, coalesce(x.price, 0),
           x.currency_ref, $5 is not null, u.created_at,
           case when $5 is not null then now() - make_interval(secs => $5) - ($3 - u.ref) * interval '1 millisecond'
                when x.price > 0 then now() + interval '30 days' end, u.created_at
      from users u
      join brands b on b.brand_ref = u.brand_ref
      join packages p on p.brand_ref = u.brand_ref and p.key = $4
      left join package_prices x on x.package_ref = p.ref and x.currency_ref = b.default_currency_ref
                                and x.billing_period_months = 1
     where u.brand_ref = $1 and u.ref between $2 and $3
"""
