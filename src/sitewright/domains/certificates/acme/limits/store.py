"""SQL of what counts towards the limits, across brands."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

import msgspec

from sitewright.kit.db import Transaction


def subject_key(subject: str) -> str:
    """Names are stored as hashes: a name counts for a week, also after its site was erased."""
    return sha256(subject.encode()).hexdigest()


class Limit(msgspec.Struct, frozen=True):
    kind: str
    subject: str
    most: int
    period: timedelta


async def lock(tx: Transaction) -> None:
    """Until the transaction ends, no other one counts and reserves."""
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('acme usage', 0))")


async def find_reached(tx: Transaction, limits: Sequence[Limit], at: datetime) -> tuple[str, str, datetime] | None:
    """The limit that is reached for longest: its kind, its subject, and when there is room again."""
    subjects = {subject_key(limit.subject): limit.subject for limit in limits}
    row = await tx.fetchrow(
        "select l.kind, l.subject, used.at + l.period as free_at"
        " from unnest($1::text[], $2::text[], $3::integer[], $4::interval[]) l (kind, subject, most, period)"
        " cross join lateral (select u.at from acme_usage u where u.kind = l.kind and u.subject = l.subject"
        "  and u.at > $5::timestamptz - l.period order by u.at desc offset l.most - 1 limit 1) used"
        " order by free_at desc limit 1",
        [limit.kind for limit in limits],
        [subject_key(limit.subject) for limit in limits],
        [limit.most for limit in limits],
        [limit.period for limit in limits],
        at,
    )
    return None if row is None else (row[0], subjects[row[1]], row[2])


async def insert(tx: Transaction, kind: str, subjects: Sequence[str], holder: int, at: datetime) -> None:
    await tx.execute(
        "insert into acme_usage (kind, subject, holder, at) select $1, subject, $3, $4 from unnest($2::text[]) subject",
        kind,
        [subject_key(subject) for subject in subjects],
        holder,
        at,
    )


async def release(tx: Transaction, kind: str, subjects: Sequence[str], holder: int, at: datetime) -> None:
    await tx.execute(
        "delete from acme_usage where kind = $1 and subject = any($2) and holder = $3 and at = $4",
        kind,
        [subject_key(subject) for subject in subjects],
        holder,
        at,
    )


async def release_after(tx: Transaction, kind: str, holder: int, after: datetime | None) -> None:
    """Everything since that time, or all."""
    await tx.execute(
        "delete from acme_usage where kind = $1 and holder = $2 and at > coalesce($3::timestamptz, '-infinity')",
        kind,
        holder,
        after,
    )


async def prune(tx: Transaction, older_than: datetime, limit: int) -> int:
    done = await tx.execute(
        "delete from acme_usage where ref = any(array(select ref from acme_usage where at < $1 order by at limit $2))",
        older_than,
        limit,
    )
    return int(done.rpartition(" ")[2])
