"""Finds users by words: all must match, each as the beginning of a term. The work of one page is bounded."""

from sitewright.accounts.search.lookup import store
from sitewright.accounts.search.lookup.store import BLOCK_BITS, Filter, Plan, Word
from sitewright.accounts.search.lookup.walk import Found, Walk
from sitewright.accounts.search.terms import MAX_WORDS, words_of
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.problems import FieldErrors

__all__ = ["Filter", "Found", "check_search", "find_users"]
MAX_ENTRIES = 20_000
"""Entries of the index that one page may read: then it ends, and the next page continues."""
PROBE_COST = 12
"""What probing one user for a word costs, in entries read."""
MAX_REF_DIGITS = 18
SAMPLED_BLOCKS = 3


def check_search(search: str) -> FieldErrors:
    words = words_of(search)
    if not words:
        return {"search": {"invalidSearch": "must hold a letter or a digit"}}
    if len(words) > MAX_WORDS:
        return {"search": {"invalidSearch": f"may hold {MAX_WORDS} words at the most"}}
    return {}


async def find_users(tx: Transaction, search: str, where: Filter, window: Window) -> Found:
    span = await store.find_span(tx)
    if span is None:
        return Found([])
    words = await _resolve(tx, words_of(search), where)
    plan, cost = await _plan(tx, words, span) if len(words) > 1 else (Plan(words[0]), 1)
    walk = Walk(window, span, max_entries=max(1, MAX_ENTRIES // (cost + PROBE_COST * where.probes)))
    block: int | None = span[0]
    if not walk.is_at_the_beginning:
        block = await store.nearest_block(tx, walk.start, is_backward=walk.is_backward)
    while block is not None and not walk.is_full:
        blocks, most = walk.range_from(block), walk.blocks_to_read
        read = await store.read_blocks(tx, plan, where, blocks, most=most, rows=window.rows)
        walk.add(read)
        end = read[-1].block if len(read) == most else blocks.last
        block = await _next_block(tx, walk, walk.beyond(end), is_adjacent=len(read) == most)
        if walk.is_exhausted and block is not None:
            return walk.found(resume=walk.edge_of(end))
    return walk.found()


async def _next_block(tx: Transaction, walk: Walk, ref: int, *, is_adjacent: bool) -> int | None:
    """From that ref on. `is_adjacent`: the next block is inside the range that was looked into."""
    if walk.is_outside(ref):
        return None
    return ref >> BLOCK_BITS if is_adjacent else await store.nearest_block(tx, ref, is_backward=walk.is_backward)


async def _resolve(tx: Transaction, prefixes: list[str], where: Filter) -> list[Word]:
    """A list of a reseller's users is one more word to search for, so that it can lead."""
    words = [
        Word(prefix=prefix, reseller_refs=reseller_refs, user_ref=_user_ref(prefix))
        for prefix, reseller_refs in zip(prefixes, await store.find_resellers(tx, prefixes), strict=True)
    ]
    return words if where.reseller_ref is None else [*words, Word(reseller_refs=[where.reseller_ref])]


def _user_ref(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) <= MAX_REF_DIGITS else None


async def _plan(tx: Transaction, words: list[Word], span: tuple[int, int]) -> tuple[Plan, int]:
    """The rarest word of a sample of blocks leads; words that are not far more common are intersected with it, others
    are probed. Returns also what each entry of the leading word costs, in entries."""
    first, last = span
    blocks = sorted({first + (last - first) * part // (SAMPLED_BLOCKS - 1) for part in range(SAMPLED_BLOCKS)})
    counts = await store.sample_entries(tx, words, blocks)
    rarest, *others = sorted(zip(counts, words, strict=True), key=lambda each: each[0])
    costs = [(1 + count // max(1, rarest[0]), word) for count, word in others]
    plan = Plan(
        rarest[1],
        intersected=[word for cost, word in costs if cost <= PROBE_COST],
        probed=[word for cost, word in costs if cost > PROBE_COST],
    )
    return plan, 1 + sum(min(cost, PROBE_COST) for cost, _ in costs)
