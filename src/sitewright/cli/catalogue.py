"""`sitewright catalogue`: plan, apply and export the catalogue file."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.markup import escape

from sitewright.catalogue.file import service
from sitewright.catalogue.file.errors import InvalidCatalogue
from sitewright.catalogue.file.plan import Change
from sitewright.catalogue.file.service import Planned
from sitewright.cli.context import err, out, settings, shell_actor
from sitewright.demo.data import TEST_BRAND_NAME
from sitewright.demo.history import service as history
from sitewright.features import MAIL
from sitewright.kit.atomic_files import replacing
from sitewright.kit.databases import database_for
from sitewright.kit.db import Transaction
from sitewright.kit.primary import connect

app = typer.Typer(
    help="Brands, languages, currencies, packages, prices and templates, from a readable file.", no_args_is_help=True
)
T = TypeVar("T")
File = Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="A catalogue file (YAML).")]
SIGNS = {"add": "[green]+[/green]", "change": "[yellow]~[/yellow]", "remove": "[red]-[/red]"}


@app.command()
def plan(file: File) -> None:
    """Show what `apply` would change, and change nothing."""
    _show(_run_on_file(file, partial(_plan, folder=file.parent)))


@app.command()
def apply(file: File) -> None:
    """Show the changes, and apply them in one transaction."""

    async def work(owner: Transaction, text: str) -> Planned:
        planned = await _plan(owner, text, file.parent)
        _show(planned)
        await service.apply_changes(owner, planned, shell_actor())
        return planned

    if _run_on_file(file, work).changes:
        out.print("Applied.")


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(dir_okay=False, help="The file; without it, standard output.")] = None,
) -> None:
    """Export the catalogue as a file that `apply` accepts."""
    text = _as_owner(service.export)
    if file is None:
        typer.echo(text, nl=False)
    else:
        with replacing(file, mode=0o644) as draft:
            draft.write(text.encode())
        out.print(f"Wrote {escape(str(file))}.")


async def _plan(owner: Transaction, text: str, folder: Path) -> Planned:
    """A file for the demo's two brands need not contain the brand with the history."""
    return await service.plan(owner, text, MAIL.kinds, folder, may_lack=[TEST_BRAND_NAME, history.BRAND])


def _run_on_file(file: Path, work: Callable[[Transaction, str], Awaitable[Planned]]) -> Planned:
    try:
        text = file.read_text(encoding="utf-8")
        return _as_owner(lambda owner: work(owner, text))
    except UnicodeDecodeError:
        err.print(f"{escape(file.name)}: not UTF-8", style="red")
    except InvalidCatalogue as invalid:
        for each in invalid.errors:
            err.print(escape(f"{file.name} {each}"), style="red")
        err.print("Nothing was changed.")
    raise typer.Exit(1)


def _as_owner(work: Callable[[Transaction], Awaitable[T]]) -> T:
    """Run `work` as the owner of the tables: the service role cannot write the catalogue."""
    with database_for(settings()) as urls:

        async def run() -> T:
            owner = await connect(urls.owner)
            try:
                async with owner.transaction():
                    return await work(owner)
            finally:
                await owner.close()

        return asyncio.run(run())


def _show(planned: Planned) -> None:
    for change in planned.changes:
        _show_change(change)
    count = len(planned.changes)
    out.print("Nothing to change." if count == 0 else "1 change." if count == 1 else f"{count} changes.")


def _show_change(change: Change) -> None:
    out.print(f"{SIGNS[change.action]} {change.entry.kind} {escape(change.entry.title)}")
    for each in change.differences:
        out.print(f"    {each.field}: {escape(str(each.before))} -> {escape(str(each.after))}")
