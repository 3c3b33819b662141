"""Rows of several tables, written by one statement: a round trip costs more than most rows do.

A feature says in its `store` how its own rows are written; whoever has several kinds to write hands them over together.
No part sees what another writes, so refs that they share are drawn beforehand; foreign keys are checked at the end.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import asyncpg
import msgspec

from sitewright.kit.db import Transaction

_PLACE = re.compile(r"\$(\d+)")


class Writing(msgspec.Struct, frozen=True):
    parts: tuple[str, ...]
    """Each `name as (insert ...)`, with a name that no other has. Their places are counted from $1 and shared by all of
    them."""
    values: Sequence[Any]


async def write(tx: Transaction, *writings: Writing, told: str = "select") -> asyncpg.Record:
    """`told`: the one row to answer, from what the parts return."""
    row = await tx.fetchrow(
        _statement(tuple(each.parts for each in writings), tuple(len(each.values) for each in writings), told),
        *(value for each in writings for value in each.values),
    )
    assert row is not None  # noqa: S101 - what is told is one row
    return row


@lru_cache(maxsize=500)
def _statement(writings: tuple[tuple[str, ...], ...], places: tuple[int, ...], told: str) -> str:
    parts = [_moved(part, sum(places[:number])) for number, writing in enumerate(writings) for part in writing]
    return f"with {', '.join(parts)} {told}"


def _moved(part: str, places: int) -> str:
    return _PLACE.sub(lambda place: f"${int(place[1]) + places}", part)
