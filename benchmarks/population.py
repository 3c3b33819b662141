"""Account holders by the thousand or the million, inserted into the service's database with a few statements.

Their refs begin far above those of other measurements and the demo, so that a number in a statement identifies them.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import asyncpg
import msgspec

MANY = 500_000
PACKAGES_FROM = 10**12
"""The offset of a user's account package ref from the user's ref."""


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
        """Insert all in one transaction, unless they exist. The statistics are accurate, as if users had been added one
        by one."""
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
    """Sorting a million rows once takes half as long as inserting each into the index."""
    indexes = await owner.fetch(INDEXES)
    for name, _definition in indexes:
        await owner.execute(f"drop index {name}")
    yield
    for _name, definition in indexes:
        await owner.execute(definition)


async def fill_search_terms(owner: "asyncpg.Connection[asyncpg.Record]", population: Population) -> None:
    """Terms as of users with a thousand different first names and five thousand last names; all have addresses at one
    provider."""
    await owner.execute(SEARCH_TERMS, population.brand_ref, population.first_ref, population.last_ref)


async def settle(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Run vacuum and analyze now, which PostgreSQL would otherwise do during the next measurement."""
    await owner.execute("vacuum analyze users, account_packages, user_counts, search_terms")
    await owner.execute("checkpoint")


MILLION = Population(brand_ref=2, first_ref=2_000_000_000, users=1_000_000, package="pro")
"""Shared by measurements that only read."""


async def delete_mails(owner: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Clear the outbox, so that the worker is not busy with mails of an earlier measurement."""
    await owner.execute("delete from mails where sent_at is null")


IS_THERE = "select exists (select from users where brand_ref = $1 and ref = $2)"
INDEXES = """
    select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index i
     where indrelid = any('{users, account_packages}'::regclass[])
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
"""
"""Indexes that no constraint needs."""
WITHOUT_CHECKS = """
    set local maintenance_work_mem = '256MB';
    alter table users enable always trigger count_new_users;
    set local session_replication_role = replica
"""
"""Checking foreign keys row by row takes longer than writing the rows. The rows are still counted."""
USERS = """
    insert into users (brand_ref, ref, first_name, last_name, username, username_key, email, email_key, password_hash,
                       language_code, created_at, updated_at)
    select $1, n, 'First', 'Last', 'user-' || n, 'user-' || n, 'user-' || n || '@mail.example',
           'user-' || n || '@mail.example', '', 'en', at, at
      from generate_series($2::bigint, $3::bigint) n,
           lateral (select now() - ($3 - n) * interval '1 second' - interval '30 days') created (at)
"""
SEARCH_TERMS = """
    insert into search_terms (brand_ref, user_ref, source, term)
    select $1, n, 0, term from generate_series($2::bigint, $3::bigint) n
     cross join lateral unnest(array[
           chr((97 + n % 26)::integer) || substr(md5((n / 26 % 40)::text), 1, 6),
           substr(md5((n * 7 % 5003)::text), 1, 8),
           'user-' || n, n::text, 'user-' || n || '@mail.example', n || '@mail.example', 'mail.example']) term
     order by n >> 13, term collate "C", n
"""
"""In the order of the primary key, which is then written page after page."""
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
