"""The way of one page through the blocks of users: where it is, what it found, and what that cost."""

import msgspec

from sitewright.accounts.search.lookup.store import BLOCK_BITS, Block, Range
from sitewright.kit.paging import Window

MAX_BLOCKS = 1024
"""Blocks that one statement looks into."""
GROWTH = 4
MAX_REF = 2**63 - 1


class Found(msgspec.Struct, frozen=True):
    """Refs in order, at most `window.rows`. `resume`: the cursor from which the next page continues, where this one
    ended because of the work it would take: there may be more users."""

    refs: list[int]
    resume: int | None = None


class Walk:
    """`span`: the first and the last block with users. With `window.before` the way leads backward."""

    def __init__(self, window: Window, span: tuple[int, int], *, max_entries: int) -> None:
        self.is_backward = window.before is not None
        self._window = window
        self._span = span
        self._max_entries = max_entries
        self._cursor = window.before if self.is_backward else window.after
        self._refs: list[int] = []
        self._entries = 0
        self._blocks = 0
        self._last_read = 1

    @property
    def is_at_the_beginning(self) -> bool:
        return self._cursor is None

    @property
    def start(self) -> int:
        """The first ref that the page may show."""
        cursor = self._cursor or 0
        return cursor - 1 if self.is_backward else min(cursor, MAX_REF - 1) + 1

    def edge_of(self, block: int) -> int:
        """The cursor with which a page continues beyond the block."""
        return block << BLOCK_BITS if self.is_backward else ((block + 1) << BLOCK_BITS) - 1

    def beyond(self, block: int) -> int:
        """The first ref beyond the block."""
        return self.edge_of(block) + (-1 if self.is_backward else 1)

    def is_outside(self, ref: int) -> bool:
        first, last = self._span
        return ref >> BLOCK_BITS < first if self.is_backward else ref >> BLOCK_BITS > last

    def range_from(self, block: int) -> Range:
        first, last = self._span
        end = max(first, block - MAX_BLOCKS + 1) if self.is_backward else min(last, block + MAX_BLOCKS - 1)
        return Range(first=block, last=end, beyond=self._cursor, is_backward=self.is_backward)

    @property
    def blocks_to_read(self) -> int:
        """First one; then as many more as the work for the last ones allows, but not too many at once."""
        if self._blocks == 0:
            return 1
        affordable = (self._max_entries - self._entries) * self._blocks // max(1, self._entries)
        return max(1, min(self._last_read * GROWTH, affordable, MAX_BLOCKS))

    def add(self, blocks: list[Block]) -> None:
        self._refs += [ref for block in blocks for ref in block.refs]
        self._entries += sum(block.entries for block in blocks)
        self._blocks += len(blocks)
        self._last_read = max(self._last_read, len(blocks))

    @property
    def is_full(self) -> bool:
        return len(self._refs) >= self._window.rows

    @property
    def is_exhausted(self) -> bool:
        """Whether the page has cost enough, without being full."""
        return self._entries >= self._max_entries and not self.is_full

    def found(self, resume: int | None = None) -> Found:
        return Found(sorted(self._refs[: self._window.rows]), resume)
