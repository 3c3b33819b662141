"""Prints the figures as one table, and saves them to `<data dir>/bench.json`."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.figures import Figure

VERDICTS = {True: "[green]yes[/green]", False: "[red]no[/red]", None: "-"}


def show(figures: Sequence[Figure]) -> None:
    table = Table("figure", "value", "goal", "holds", "note")
    for each in figures:
        value = "-" if each.value is None else f"{each.value:.2f}"
        goal = "-" if each.goal is None else f"{each.goal:g}"
        table.add_row(each.name, value, goal, VERDICTS[each.holds], escape(each.note))
    Console().print(table)


def save(figures: Sequence[Figure], data_dir: Path) -> Path:
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / "bench.json"
    draft = path.with_suffix(".draft")
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n")
    return draft.replace(path)
