"""`sitewright backup` and `sitewright restore`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sitewright.cli.context import out, settings
from sitewright.kit.databases import database_for
from sitewright.kit.dump_check import write_verified_dump
from sitewright.kit.dumps import check_is_empty, read_dump, write_dump
from sitewright.kit.migrations import migrate
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sealing import load_sealer

app = typer.Typer()


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; an existing file is replaced.")],
    *,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Restore it into a temporary server, and compare rows, keys and secrets."),
    ] = False,
) -> None:
    """Write the whole database to a file with pg_dump, even while the service runs. The master key is not included."""
    chosen = settings()
    with database_for(chosen) as urls:
        if verify:
            sealer = load_sealer(chosen.master_key, chosen.data_path)
            held = write_verified_dump(urls.owner, file, sealer, _sealed_columns())
            out.print(
                f"Restored it into a temporary server: {held.rows} rows of {held.tables} tables and {held.keys} keys"
                f" are complete, and the master key decrypts all {held.secrets} secrets."
            )
        else:
            write_dump(urls.owner, file)
    out.print(
        f"Wrote {file}. Store the master key separately: without it, the secrets in the file cannot be decrypted."
    )


def _sealed_columns() -> Sequence[SealedColumn]:
    from sitewright.features import SEALED_COLUMNS  # noqa: PLC0415 - half a second, which only `--verify` needs

    return SEALED_COLUMNS


@app.command()
def restore(file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file from `backup`.")]) -> None:
    """Fill an empty database from a backup, and migrate it to the current schema."""
    chosen = settings()
    with database_for(chosen) as urls:
        asyncio.run(check_is_empty(urls.owner))
        read_dump(urls.owner, file)
        asyncio.run(migrate(urls.owner, own_role=chosen.makes_login_role))
    place = "the setting master_key" if chosen.master_key else chosen.data_path / "master.key"
    out.print(
        f"Restored. Put the master key of the backup in its place ({place}), run `sitewright doctor`,"
        " and start the service."
    )
