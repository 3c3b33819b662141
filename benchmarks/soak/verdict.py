"""What must stay flat, and what did not."""

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from benchmarks.soak.samples import Sample, Table

TOLERANCE = 1.1
TABLE_TOLERANCE_BYTES = 2**20
MAX_OVERDUE_SECONDS = 60.0


class Figure(msgspec.Struct, frozen=True):
    value: int
    tolerance: int
    """How much more counts as the same, beside a tenth."""


def findings_in(samples: Sequence[Sample], most_overdue: Mapping[str, float]) -> list[str]:
    """The last quarter is compared with the second one: in the first one, caches fill.

    `most_overdue`: the longest delay of each kind of due work, over all the time.
    """
    quarter = len(samples) // 4
    before, after = samples[quarter : 2 * quarter], samples[3 * quarter :]
    grown = [_growth(name, before, after) for name in _figures(samples[0])]
    grown += [_growth_of_table(name, before[-1].tables[name], after[-1].tables[name]) for name in after[-1].tables]
    late = {kind: seconds for kind, seconds in most_overdue.items() if seconds > MAX_OVERDUE_SECONDS}
    return [each for each in grown if each] + [f"{kind}: {seconds:.0f} s late" for kind, seconds in late.items()]


def _figures(sample: Sample) -> dict[str, Figure]:
    memory = {f"memory of {part}": Figure(size, 8 * 2**20) for part, size in sample.memory.items()}
    files = {f"open files of {part}": Figure(count, 8) for part, count in sample.files.items()}
    return memory | files | {"connections to the database": Figure(sample.connections, 4)}


def _growth(name: str, before: Sequence[Sample], after: Sequence[Sample]) -> str:
    """What to report; empty if there is nothing."""
    figures = [_figures(each)[name] for each in before]
    usual = median(figure.value for figure in figures)
    now = median(_figures(each)[name].value for each in after)
    if now <= max(usual * TOLERANCE, usual + figures[0].tolerance):
        return ""
    return f"{name}: {usual:,.0f}, later {now:,.0f}"


def _growth_of_table(name: str, before: Table, after: Table) -> str:
    """The same of a table with its indexes, which may grow as fast as its rows, not faster."""
    of_rows = max(0, after.rows - before.rows) * before.bytes / max(1, before.rows)
    if after.bytes <= before.bytes + of_rows * TOLERANCE + TABLE_TOLERANCE_BYTES:
        return ""
    return f"{name}: {before.bytes:,} bytes for {before.rows:,} rows, later {after.bytes:,} for {after.rows:,}"
