"""The verdict of `make soak` finds what grows, and leaves what does not."""

from typing import Any

import msgspec
import pytest

from benchmarks.soak.samples import Sample, Table
from benchmarks.soak.verdict import MAX_OVERDUE_SECONDS, findings_in

MIB = 2**20
FIRST = Sample(
    at=0.0,
    memory={"api": 100 * MIB},
    files={"api": 50},
    connections=20,
    tables={"public.users": Table(10 * MIB, 1000), "jobs.queue": Table(MIB, 0)},
    log_bytes=0,
)


def grown(**last: Any) -> list[Sample]:
    """Twelve samples, of which the last three differ from the others."""
    return [FIRST] * 9 + [msgspec.structs.replace(FIRST, **last)] * 3


@pytest.mark.parametrize(
    ("last", "finding"),
    [
        ({"memory": {"api": 120 * MIB}}, "memory of api"),
        ({"files": {"api": 60}}, "open files of api"),
        ({"connections": 25}, "connections to the database"),
        ({"tables": FIRST.tables | {"public.users": Table(20 * MIB, 1500)}}, "public.users"),
        ({"tables": FIRST.tables | {"jobs.queue": Table(3 * MIB, 0)}}, "jobs.queue"),
    ],
)
def test_what_grows_is_found(last: dict[str, Any], finding: str) -> None:
    [found] = findings_in(grown(**last), {})
    assert found.startswith(f"{finding}:")


def test_what_grows_with_its_rows_or_a_little_is_left() -> None:
    tables = FIRST.tables | {"public.users": Table(20 * MIB, 2000)}
    assert findings_in(grown(memory={"api": 107 * MIB}, files={"api": 55}, tables=tables), {"mails": 59.0}) == []


def test_late_work_is_found() -> None:
    assert findings_in([FIRST] * 12, {"mails": MAX_OVERDUE_SECONDS + 1, "jobs": 0.0}) == ["mails: 61 s late"]
