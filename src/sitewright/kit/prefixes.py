"""Texts that begin with a prefix, as a range that an index with the collation "C" serves.

A range of plain comparisons, because they are leakproof: row-level security keeps `like` and `starts_with` from using
an index.
"""

_AFTER_EVERY_TEXT = "\U0010ffff"


def prefix_range(prefix: str) -> tuple[str, str]:
    """The first text with the prefix, and the end of those, exclusive."""
    return prefix, prefix + _AFTER_EVERY_TEXT
