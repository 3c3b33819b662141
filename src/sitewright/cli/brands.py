"""`sitewright brands`: export of a brand to a file, and import into another installation."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from sitewright.cli.context import err, out, settings, shell_actor
from sitewright.features import LIFECYCLE, MAIL, SEALED_COLUMNS
from sitewright.kit import audit
from sitewright.kit.atomic_files import replacing
from sitewright.kit.databases import database_for
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources, open_resources
from sitewright.transfer import recipients
from sitewright.transfer.archive import ArchiveReader, Manifest, open_archive
from sitewright.transfer.errors import TransferError
from sitewright.transfer.exports.service import export_brand
from sitewright.transfer.imports import service as imports
from sitewright.transfer.store import connect
from sitewright.transfer.tables import MEDIA_CHUNKS

T = TypeVar("T")
app = typer.Typer(help="Brands: export one to a file, and import it elsewhere.", no_args_is_help=True)
BAR = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn())
Archive = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file from `brands export`.")]


@app.command()
def key(
    file: Annotated[Path, typer.Argument(help="The file for the private key; the key of an existing one is kept.")],
) -> None:
    """Make a key pair for receiving a brand's secrets: give the public key to the operator who exports the brand."""
    if file.exists():
        public = recipients.public_text(recipients.read_private_key(file).public_key())
        out.print(f"The private key in {file} was made before. The public key:")
    else:
        public = recipients.make_key_pair(file)
        out.print(f"The private key is in {file}. Keep it until the brand is imported. The public key:")
    out.print(public)


@app.command()
def export(
    ref: Annotated[int, typer.Argument(help="The brand's ref.")],
    file: Annotated[Path, typer.Argument(help="The file to write; an existing file is replaced.")],
    recipient: Annotated[
        str, typer.Option(help="The public key that secrets are encrypted for. See: sitewright brands key")
    ] = "",
    *,
    without_secrets: Annotated[
        bool, typer.Option("--without-secrets", help="Leave out secrets, passwords, operators and certificates.")
    ] = False,
) -> None:
    """Write a brand with its sites and media to a file, from one moment, while the service runs."""
    if bool(recipient) == without_secrets:
        raise TransferError("Name either the recipient's public key (--recipient KEY) or --without-secrets.")

    async def work(resources: Resources, owner: Transaction, owner_url: str) -> Manifest:
        with Progress(*BAR, console=err) as progress, replacing(file) as draft:
            bars: dict[str, TaskID] = {}

            def on_progress(table: str, rows: int, total: int) -> None:
                if table not in bars:
                    bars[table] = progress.add_task(table, total=total)
                progress.update(bars[table], completed=rows, total=max(total, rows), visible=rows < total)

            chosen = recipient or None
            manifest = await export_brand(resources, owner_url, SEALED_COLUMNS, ref, draft, chosen, on_progress)
            await audit.record(
                owner, actor=shell_actor().name, action="export", subject="brand", ref=ref, brand_ref=ref
            )
        return manifest

    manifest = _run(work)
    out.print(f"Wrote {manifest.rows:,} rows of {manifest.brand_name} to {file}. It contains personal data.")
    with open_archive(file) as archive:
        out.print(f"SHA-256 of the manifest, which the import shows too: {archive.digest}")


@app.command("import")
def import_(
    file: Archive,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Verify the file and list every collision.")] = False,
    remap: Annotated[
        bool, typer.Option("--remap", help="Give new refs to what has a ref that is taken, and write FILE.refs.csv.")
    ] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Remove what an interrupted import of this file has left.")
    ] = False,
    key: Annotated[Path | None, typer.Option(help="The file with the private key of the archive's recipient.")] = None,
) -> None:
    """Import a brand from a file. Nothing is visible until it is complete; run it again after an interruption."""
    with open_archive(file) as archive:
        if discard:
            _run(lambda _resources, owner, _url: imports.discard(owner, archive))
            out.print("Removed.")
            return
        refs_file = file.with_name(f"{file.name}.refs.csv") if remap else None
        _import(archive, key, refs_file, remap=remap, is_dry_run=dry_run)


def _import(archive: ArchiveReader, key: Path | None, refs_file: Path | None, *, remap: bool, is_dry_run: bool) -> None:
    manifest = archive.manifest
    out.print(f"{manifest.brand_name}, {manifest.rows:,} rows, exported at {manifest.created_at}")
    out.print(f"by version {manifest.release}. SHA-256 of the manifest: {archive.digest}")
    box = None
    if key is not None and manifest.secrets is not None:
        box = recipients.open_box(manifest.secrets, recipients.read_private_key(key))
    totals = {"read": 0, "media": 0, "insert": 0}
    for each in manifest.files:
        totals["media" if each.table == MEDIA_CHUNKS else "read"] += each.bytes
        totals["insert"] += each.rows if each.columns and each.table != MEDIA_CHUNKS and not is_dry_run else 0

    async def work(resources: Resources, owner: Transaction, _owner_url: str) -> int:
        with Progress(*BAR, console=err) as progress:
            bars = {step: progress.add_task(step, total=total) for step, total in totals.items() if total}
            options = imports.Options(
                box=box,
                remap=remap,
                is_dry_run=is_dry_run,
                on_collision=lambda what: out.print(f"collision: {what}", markup=False),
                on_progress=lambda step, count: progress.advance(bars[step], count) if step in bars else None,
            )
            opened = await imports.open_import(resources, owner, archive, options)
            if is_dry_run:
                return (await imports.check_import(opened, SEALED_COLUMNS)).collisions
            return await imports.import_brand(opened, SEALED_COLUMNS, shell_actor(), refs_file)

    result = _run(work)
    if not is_dry_run:
        out.print(f"Imported as brand {result}.{f' Changed refs: {refs_file}' if refs_file else ''}")
    elif result:
        err.print(f"{result} collisions. Nothing was written.")
        raise typer.Exit(1)
    else:
        checked = "The file" if box is None else "The file with its secrets"
        out.print(f"{checked} is intact and there are no collisions. Nothing was written.")
        if manifest.secrets is not None and box is None:
            out.print(
                f"Its secrets were not checked: repeat with --key, the private key of {manifest.secrets.recipient}"
            )


def _run(work: Callable[[Resources, Transaction, str], Awaitable[T]]) -> T:
    """Run `work` with the service's resources, and a connection of the owner of the tables."""
    loaded = settings().for_commands()
    with database_for(loaded) as urls:

        async def run() -> T:
            owner = await connect(urls.owner, "sitewright brands")
            try:
                async with open_resources(
                    loaded, urls.service, name="shell", lifecycle=LIFECYCLE, mail=MAIL
                ) as resources:
                    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))  # each has its own heap
                    return await work(resources, owner, urls.owner)
            finally:
                await owner.close()

        return asyncio.run(run())
