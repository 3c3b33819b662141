"""Statements that search. They are assembled from fixed parts, so that PostgreSQL plans each combination separately.

Users are read by blocks of refs, in order. In each block the entries of the leading word are read from the index. They
are intersected with the entries of words that are about as common; for other words and conditions each user found is
probed.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit.db import Transaction

BLOCK_BITS = 13
"""As in the generated column `block`."""
_AFTER_EVERY_TERM = "\U0010ffff"
MAX_RESELLERS = 200
"""Resellers that one word stands for, the first in the order of their names."""
SAMPLED_ENTRIES = 1_000
"""Of each word in each block of a sample."""
_RESELLERS = """
select w.number, array(
       select t.reseller_ref from reseller_search_terms t
        where t.brand_ref = current_brand() and t.term >= w.low and t.term < w.high
        order by t.term limit {most}) as refs
  from unnest($1::text[], $2::text[]) with ordinality w (low, high, number) order by w.number
"""
_TERMS = """
select t.user_ref as ref from search_terms t
 where t.brand_ref = current_brand() and t.block = b.block and t.term >= {low} and t.term < {high}
"""
_OF_RESELLERS = """
select c.ref from unnest({resellers}::bigint[]) r (ref) cross join lateral (
       select u.ref from account_holders u where u.brand_ref = current_brand() and u.reseller_ref = r.ref
          and u.ref >= b.block << {bits} and u.ref < (b.block + 1) << {bits}) c
"""
_THE_USER = "select {user_ref}::bigint as ref where {user_ref}::bigint >> {bits} = b.block"
_HAS_TERM = """
exists (select from search_terms t where t.brand_ref = current_brand() and t.user_ref = c.ref
           and t.term >= {low} and t.term < {high})
"""
_HAS_PACKAGE = """
exists (select from held_packages a where a.brand_ref = current_brand() and a.user_ref = u.ref and a.ended_at is null
           and {condition})
"""
_BLOCKS = """
with candidates as materialized (
     select b.block, m.entries, m.refs
       from (select block from generate_series({first}::bigint, {last}::bigint) block order by block {direction}) b
      cross join lateral (
            with lead as materialized (select x.ref from ({members}) x where {beyond})
            select (select count(*) from lead) as entries,
                   array(select distinct ref from lead {intersections}) as refs) m
      where m.entries > 0 order by b.block {direction} limit {most})
select block, entries, array(
       select c.ref from (select ref from unnest(refs) ref order by ref {direction}) c
        where exists (select from account_holders u where u.brand_ref = current_brand() and u.ref = c.ref
                         and {conditions})
        order by c.ref {direction} limit {rows}) as refs
  from candidates order by block {direction}
"""
_SAMPLE = """
select (select count(*) from unnest({blocks}::bigint[]) b (block)
         cross join lateral (select from ({members}) x limit {most}) x)
"""


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """Users that one word stands for: by a term that begins with it, by their reseller, by their ref."""

    prefix: str | None = None
    reseller_refs: Sequence[int] = ()
    user_ref: int | None = None


class Plan(msgspec.Struct, frozen=True):
    """How to find the users that all words stand for."""

    lead: Word
    intersected: Sequence[Word] = ()
    probed: Sequence[Word] = ()


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Further conditions of the list. `until` is exclusive. `is_trial`: False for those who pay."""

    show_deleted: bool = False
    only_deleted: bool = False
    is_suspended: bool | None = None
    package_ref: int | None = None
    is_trial: bool | None = None
    reseller_ref: int | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def probes(self) -> int:
        """How many further rows each user found is probed for."""
        return (self.package_ref is not None) + (self.is_trial is not None)


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Blocks to read, in order, and the ref that found users must be beyond."""

    first: int
    last: int
    beyond: int | None
    is_backward: bool

    @property
    def direction(self) -> str:
        return "desc" if self.is_backward else ""


class Block(msgspec.Struct, frozen=True):
    """What was found in a block, and how many entries were read for it."""

    block: int
    entries: int
    refs: list[int]


async def find_resellers(tx: Transaction, prefixes: Sequence[str]) -> list[list[int]]:
    """For each prefix the resellers whose names or refs have a word that begins with it."""
    rows = await tx.fetch(
        _RESELLERS.format(most=MAX_RESELLERS), prefixes, [prefix + _AFTER_EVERY_TERM for prefix in prefixes]
    )
    return [row["refs"] for row in rows]


async def find_span(tx: Transaction) -> tuple[int, int] | None:
    """The first and the last block with users of the brand."""
    row = await tx.fetchrow(
        f"select min(ref) >> {BLOCK_BITS}, max(ref) >> {BLOCK_BITS} from account_holders"  # noqa: S608
        " where brand_ref = current_brand()"
    )
    return None if row is None or row[0] is None else (row[0], row[1])


async def nearest_block(tx: Transaction, ref: int, *, is_backward: bool) -> int | None:
    """The block of the first user from that ref on, or of the last one up to it: refs may have large gaps."""
    comparison, direction = ("<=", "desc") if is_backward else (">=", "")
    block: int | None = await tx.fetchval(
        f"select ref >> {BLOCK_BITS} from account_holders where brand_ref = current_brand()"  # noqa: S608
        f" and ref {comparison} $1 order by ref {direction} limit 1",
        ref,
    )
    return block


async def sample_entries(tx: Transaction, words: Sequence[Word], blocks: Sequence[int]) -> list[int]:
    """How many entries each word has in these blocks, counted up to a limit."""
    statement = _Statement()
    placeholder = statement.value(list(blocks))
    counts = [
        _SAMPLE.format(blocks=placeholder, members=statement.members(word), most=SAMPLED_ENTRIES) for word in words
    ]
    rows = await tx.fetch(" union all ".join(f"select {n}, ({sql})" for n, sql in enumerate(counts)), *statement.values)
    return [count for _, count in sorted(map(tuple, rows))]


async def read_blocks(
    tx: Transaction, plan: Plan, where: Filter, blocks: Range, *, most: int, rows: int
) -> list[Block]:
    """The first `most` blocks of the range in which the leading word has entries; of each at most `rows` users that
    have all words and meet the conditions."""
    statement = _Statement()
    sql = _BLOCKS.format(
        first=statement.value(min(blocks.first, blocks.last)),
        last=statement.value(max(blocks.first, blocks.last)),
        direction=blocks.direction,
        members=statement.members(plan.lead),
        intersections=" ".join(f"intersect ({statement.members(word)})" for word in plan.intersected),
        beyond=statement.beyond(blocks),
        conditions=" and ".join([*statement.conditions(where), *map(statement.has_word, plan.probed)]),
        most=statement.value(most),
        rows=statement.value(rows),
    )
    return [Block(*row) for row in await tx.fetch(sql, *statement.values)]


class _Statement:
    """The parts of a statement, and the values of its placeholders."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def value(self, value: Any) -> str:
        self.values.append(value)
        return f"${len(self.values)}"

    def members(self, word: Word) -> str:
        """The users of block `b` that a word stands for; some more than once."""
        parts = []
        if word.prefix is not None:
            parts.append(_TERMS.format(**self._bounds(word.prefix)))
        if word.reseller_refs:
            parts.append(_OF_RESELLERS.format(resellers=self.value(word.reseller_refs), bits=BLOCK_BITS))
        if word.user_ref is not None:
            parts.append(_THE_USER.format(user_ref=self.value(word.user_ref), bits=BLOCK_BITS))
        return " union all ".join(parts)

    def has_word(self, word: Word) -> str:
        """Whether the candidate `c`, whose row is `u`, has the word."""
        parts = []
        if word.prefix is not None:
            parts.append(_HAS_TERM.format(**self._bounds(word.prefix)))
        if word.reseller_refs:
            parts.append(f"u.reseller_ref = any({self.value(word.reseller_refs)}::bigint[])")
        if word.user_ref is not None:
            parts.append(f"u.ref = {self.value(word.user_ref)}")
        return f"({' or '.join(parts)})"

    def conditions(self, where: Filter) -> list[str]:
        conditions = ["true"] if where.show_deleted else ["u.deleted_at is null"]
        if where.only_deleted:
            conditions.append("u.deleted_at is not null")
        if where.is_suspended is not None:
            conditions.append(f"u.suspended_at is {'not ' if where.is_suspended else ''}null")
        if where.is_trial is not None:
            kind = "a.is_trial" if where.is_trial else "not a.is_trial and a.price > 0"
            conditions.append(_HAS_PACKAGE.format(condition=kind))
        for condition, value in (
            (_HAS_PACKAGE.format(condition="a.package_ref = {}"), where.package_ref),
            ("u.reseller_ref = {}", where.reseller_ref),
            ("u.created_at >= {}", where.since),
            ("u.created_at < {}", where.until),
        ):
            if value is not None:
                conditions.append(condition.format(self.value(value)))
        return conditions

    def beyond(self, blocks: Range) -> str:
        if blocks.beyond is None:
            return "true"
        return f"x.ref {'<' if blocks.is_backward else '>'} {self.value(blocks.beyond)}"

    def _bounds(self, prefix: str) -> dict[str, str]:
        return {"low": self.value(prefix), "high": self.value(prefix + _AFTER_EVERY_TERM)}
