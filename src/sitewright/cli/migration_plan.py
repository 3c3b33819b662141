"""The output of `sitewright migrate --plan`."""

from rich.table import Table

from sitewright.cli.context import out
from sitewright.kit.migration_plan import Plan
from sitewright.kit.migration_plan.service import PlannedStep

MOST_TABLES = 6
LONG_SECONDS = 5.0
EFFECTS = {
    "AccessExclusiveLock": "blocks reads and writes of",
    "ExclusiveLock": "blocks writes of",
    "ShareRowExclusiveLock": "blocks writes of",
    "ShareLock": "blocks writes of",
}


def show_plan(plan: Plan) -> None:
    if plan.is_new:
        out.print("The database has no tables yet: `sitewright migrate` creates them all, and nobody waits.")
        return
    if not plan.steps:
        out.print("The database is up to date.")
        return
    shown = [each for each in plan.steps if each.blocked or each.step.indexes or each.seconds >= 1]
    table = Table("step", "runs", "locks until its end", "about")
    for each in shown:
        table.add_row(each.step.path, each.step.run.value, _locks(plan, each), duration(each.seconds))
    out.print(table)
    if len(shown) < len(plan.steps):
        out.print(f"{len(plan.steps) - len(shown)} more steps, like functions and views, block nothing.")
    _show_summary(plan)


def _show_summary(plan: Plan) -> None:
    wait = plan.longest_wait
    out.print(
        f"Requests that need a blocked table wait: {duration(wait)} at most. The estimates follow from the sizes of"
        " the tables. Nothing was changed."
    )
    if wait > LONG_SECONDS:
        out.print(f"[yellow]Longer than {LONG_SECONDS:g} s: migrate at a quiet time.[/yellow]")


def _locks(plan: Plan, each: PlannedStep) -> str:
    blocked = each.blocked
    if not blocked:
        indexes = each.step.indexes.items()
        built = [f"builds {index} of {table} ({_size(plan.sizes[table].bytes)})" for index, table in indexes]
        return "; ".join(["blocks nothing", *built])
    lines = []
    for effect in dict.fromkeys(EFFECTS.values()):
        tables = [table for table, mode in blocked.items() if EFFECTS[mode] == effect]
        if tables:
            lines.append(f"{effect} {_named(plan, tables)}")
    return "\n".join(lines)


def _named(plan: Plan, tables: list[str]) -> str:
    """The largest ones by name and size."""
    ordered = sorted(tables, key=lambda table: -plan.sizes[table].bytes)
    named = [f"{table} ({_size(plan.sizes[table].bytes)})" for table in ordered[:MOST_TABLES]]
    more = [f"{len(tables) - MOST_TABLES} smaller ones"] if len(tables) > MOST_TABLES else []
    return ", ".join([*named, *more])


def _size(number: int) -> str:
    for unit, bytes_of_it in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if number >= bytes_of_it:
            return f"{number / bytes_of_it:.0f} {unit}"
    return f"{number} B"


def duration(seconds: float) -> str:
    if seconds < 1:
        return "less than 1 s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
