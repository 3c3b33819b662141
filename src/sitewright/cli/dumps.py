"""`sitewright backup` and `sitewright restore`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from sitewright.cli.context import out, settings
from sitewright.kit.databases import database_for
from sitewright.kit.dumps import check_is_empty, read_dump, write_dump
from sitewright.kit.migrations import migrate

app = typer.Typer()


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to write; an existing file is replaced.")]) -> None:
    """Write the whole database to a file with pg_dump, even while the service runs. The master key is not included."""
    with database_for(settings()) as urls:
        write_dump(urls.owner, file)
    out.print(f"Wrote {file}. Store the master key separately: without it, sealed secrets cannot be decrypted.")


@app.command()
def restore(file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file from `backup`.")]) -> None:
    """Fill an empty database from a backup, and migrate it to the current schema."""
    chosen = settings()
    with database_for(chosen) as urls:
        asyncio.run(check_is_empty(urls.owner))
        read_dump(urls.owner, file)
        asyncio.run(migrate(urls.owner, own_role=chosen.makes_login_role))
    out.print("Restored. Put the master key in its place, then start the service.")
