"""The cost of a package change compared with pgbench running the same statements."""

import asyncio
import itertools
import re
from typing import Any

import asyncpg
import msgspec

from benchmarks.contest import Caller, interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.pgbench import PgBench, Script, pgbench_program, script_of
from benchmarks.population import PACKAGES_FROM, Population, delete_mails, settle
from benchmarks.recording import Post, record
from benchmarks.requests import signed_request
from benchmarks.service import Service
from sitewright.accounts.account_packages.store import CONTEXT, RECORD, START

AGAINST_PGBENCH = Goal("POST of an account package / pgbench with the same statements", 0.5)
BRAND = 1
STARTERS = Population(brand_ref=BRAND, first_ref=3_000_000_000, users=5_000, package="starter")
PROS = Population(brand_ref=BRAND, first_ref=STARTERS.last_ref + 1, users=5_000, package="pro")
REFS = [*STARTERS.refs, *PROS.refs]
OPENING = f"\\set user_ref random({REFS[0]}, {REFS[-1]})\n\\set nonce random(1, 9000000000000000000)"
HELD = "((:held_held)::jsonb -> 0 ->> 'ref')::bigint"
STARTED_FROM, EVENTS_FROM = 2 * PACKAGES_FROM, 3 * PACKAGES_FROM
"""The first refs of account packages and events that the calls write, so that a script recognizes them."""
EXPRESSIONS = (
    (EVENTS_FROM, ":event_ref"), (STARTED_FROM, ":started_ref"), (PACKAGES_FROM, HELD), (REFS[0], ":user_ref"),
)  # fmt: skip
RETURNED = {CONTEXT: "held_", START: "started_", RECORD: "event_"}
_RANDOM = re.compile(r"[0-9a-f]{32}")
_ARRAY = re.compile(r"\{(\d+)\}")
"""Of one number, as `kit.arrays` writes it."""


def measure(service: Service) -> list[Figure]:
    program = pgbench_program()
    if program is None:
        return [AGAINST_PGBENCH.without_peer("pgbench")]
    starter, pro = asyncio.run(_fill(service.database_url))
    scripts = asyncio.run(_scripts(service, starter, pro))
    changes = Changes(service, starter, pro)
    calling, bare = interleave(
        "packages changed",
        Caller("service", service.url, changes.request),
        PgBench("pgbench", program, service.database_url, service.folder, scripts),
    )
    asyncio.run(_check(service.database_url))
    return [calling.against(bare, AGAINST_PGBENCH, "one API process, ")]


class Changes:
    """Users in turn, each to the package it does not have."""

    def __init__(self, service: Service, starter: int, pro: int) -> None:
        self._service = service
        self._credentials = service.credentials(BRAND)
        there = itertools.chain(((ref, pro) for ref in STARTERS.refs), ((ref, starter) for ref in PROS.refs))
        back = itertools.chain(((ref, starter) for ref in STARTERS.refs), ((ref, pro) for ref in PROS.refs))
        self._changes = itertools.cycle([*there, *back])

    def request(self) -> bytes:
        user_ref, package_ref = next(self._changes)
        post = _post(user_ref, package_ref)
        body = msgspec.json.encode(post.body)
        return signed_request(self._credentials, "POST", self._service.url + post.path, body)


def _post(user_ref: int, package_ref: int) -> Post:
    return Post(f"/users/{user_ref}/account-packages", {"packageRef": package_ref, "billingFrequency": 1})


async def _scripts(service: Service, starter: int, pro: int) -> list[Script]:
    """An upgrade and a downgrade of any user, as pgbench scripts."""
    upgraded, downgraded = STARTERS.last_ref, PROS.last_ref
    posts = [_post(upgraded, pro), _post(downgraded, starter)]
    recorded = await record(service, BRAND, _post(STARTERS.last_ref - 1, pro), posts)
    return [
        script_of(statements, name=name, opening=OPENING, stand=_stand, kept=RETURNED)
        for name, statements in zip(("upgrade", "downgrade"), recorded, strict=True)
    ]


def _stand(value: Any) -> str | None:
    """For users, their account packages and events, whose refs are in ranges of their own; and for nonces."""
    if isinstance(value, list | tuple) and len(value) == 1:
        only = _stand(value[0])
        return None if only is None else f"array[{only}]"
    if isinstance(value, str) and (array := _ARRAY.fullmatch(value)):
        only = _stand(int(array[1]))
        return None if only is None else f"('{{' || {only} || '}}')"
    if isinstance(value, int):
        return next((expression for first, expression in EXPRESSIONS if value >= first), None)
    return ":nonce" if isinstance(value, str) and _RANDOM.fullmatch(value) else None


async def _fill(database_url: str) -> tuple[int, int]:
    """The refs of both packages."""
    owner = await asyncpg.connect(database_url)
    try:
        for population in (STARTERS, PROS):
            await population.fill(owner)
        await settle(owner)
        for table, first in (("account_packages", STARTED_FROM), ("lifecycle_events", EVENTS_FROM)):
            await owner.execute(f"alter table {table} alter column ref restart with {first}")
        rows = await owner.fetch(
            "select ref from packages where brand_ref = $1 and key in ('starter', 'pro') order by key desc", BRAND
        )
        starter, pro = (row["ref"] for row in rows)
        return starter, pro
    finally:
        await owner.close()


async def _check(database_url: str) -> None:
    """Check that every event has its charge, mail and audit entry, and every user one package."""
    owner = await asyncpg.connect(database_url)
    row = await owner.fetchrow(CHECK, BRAND, REFS[0], REFS[-1])
    await delete_mails(owner)
    await owner.close()
    assert row is not None  # noqa: S101 - an aggregate always has a row
    if row["packages"] != len(REFS) or len({row["events"], row["charges"], row["mails"], row["entries"]}) != 1:
        raise MeasurementFailed(f"after the changes of {len(REFS)} users the database holds {row}")


CHECK = """
    select (select count(*) from account_packages
             where brand_ref = $1 and user_ref between $2 and $3 and ended_at is null) as packages,
           (select count(*) from lifecycle_events where brand_ref = $1 and user_ref between $2 and $3) as events,
           (select count(*) from charges where brand_ref = $1 and user_ref between $2 and $3) as charges,
           (select count(*) from mails where brand_ref = $1 and user_ref between $2 and $3) as mails,
           (select count(*) from audit_entries
             where brand_ref = $1 and subject = 'user' and subject_ref between $2 and $3) as entries
"""

MEASUREMENT = Measurement(goals=[AGAINST_PGBENCH], measure=measure)
