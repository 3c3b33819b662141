"""`sitewright keys`: the master keys that encrypt secrets in the database."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from sitewright.cli.context import err, out, settings, shell_actor
from sitewright.features import SEALED_COLUMNS
from sitewright.kit import audit, rotation
from sitewright.kit.advisory_locks import Lock, try_lock
from sitewright.kit.databases import database_for
from sitewright.kit.db import Transaction
from sitewright.kit.migrations.store import owns_schema
from sitewright.kit.rotation import Outcome, store
from sitewright.kit.rotation.ring import CONFIGURED, LOST, Ring
from sitewright.kit.sealed_columns import SealedColumn
from sitewright.kit.sealing import MasterKeyError, key_file

T = TypeVar("T")
NOT_THE_OWNER = (
    "The database log-in does not own the tables, and sees no brand's secrets. Set SITEWRIGHT_OWNER_DATABASE_URL, or"
    " run the command where it is set."
)
app = typer.Typer(
    help="Master keys: the first one encrypts the secrets in the database, all of them decrypt.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="The key's name. See: sitewright keys list")]


@app.command("list")
def list_() -> None:
    """List the keys, and how many values in the database are encrypted with each."""
    counts = _with_owner(lambda owner, _ring: rotation.count(owner, SEALED_COLUMNS))
    known = _ring().sealer.key_names
    found = {name for each in counts.values() for name in each}
    table = Table("key", "use", "values", "in")
    for name in [*known, *sorted(found - set(known))]:
        use = "encrypts" if name == known[0] else "decrypts" if name in known else "[red]missing[/red]"
        places = [str(column) for column, each in counts.items() if name in each]
        table.add_row(name.hex(), use, str(sum(each.get(name, 0) for each in counts.values())), ", ".join(places))
    out.print(table)


@app.command()
def add() -> None:
    """Create another key that decrypts but does not encrypt yet, so that it can be copied to other nodes first."""
    ring = _ring()
    name = ring.add(first=False)
    out.print(f"Key {name.hex()} is in {ring.place}. Copy the file to every node; each learns of it by itself.")
    out.print(f"Then run: sitewright keys rotate --to {name.hex()}")


@app.command()
def rotate(
    to: Annotated[str, typer.Option(help="A key that is there already; without it, a new one is made.")] = "",
) -> None:
    """Re-encrypt everything under another key while the service runs. Run it again if it is interrupted."""
    outcome = _with_owner(lambda owner, ring: _rotate(owner, ring, to))
    ring = _ring()
    active, *former = (name.hex() for name in ring.sealer.key_names)
    out.print(f"Key {active} encrypts from now on. {outcome.done} values were re-encrypted.")
    if outcome.lost.total():
        places = ", ".join(f"{column} ({number})" for column, number in outcome.lost.items() if number)
        err.print(f"[red]No key that is there decrypts these values:[/red] {places}. {LOST}")
    if outcome.left > 0:
        err.print(f"{outcome.left} values were in use all the time. Run the command again.")
    if outcome.lost.total() or outcome.left > 0:
        raise typer.Exit(1)
    if former:
        out.print(f"Nothing that is needed is encrypted with {', '.join(former)} any more. Back up {ring.place} now.")
        out.print("Backups of the database from before need the old key: keep it with them. To take it out of use:")
    for name in former:
        out.print(f"  sitewright keys remove {name}")


@app.command()
def remove(name: Name) -> None:
    """Take a former key out of use. Refused while a value that is needed is encrypted with it."""
    ring = _ring()
    counts = _with_owner(lambda owner, _ring: rotation.count(owner, SEALED_COLUMNS))
    remaining = sum(each.get(_read(name), 0) for each in counts.values())
    if remaining:
        next_step = "Run: sitewright keys rotate" if _read(name) in ring.sealer.key_names else f"It is missing. {LOST}"
        raise MasterKeyError(f"{remaining} values are encrypted with this key. {next_step}")
    ring.remove(_read(name))
    out.print(f"Key {name} is gone from {ring.place}. Backups from before the rotation need it.")


@app.command()
def renew(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """After a key was lost: let the service replace what only that key decrypts, and list what you have to replace."""
    ring = _existing_ring()
    lost = _with_owner(lambda owner, ring: rotation.count_lost(owner, ring.sealer, SEALED_COLUMNS))
    if not lost:
        out.print("A key is there for everything in the database. Nothing to renew.")
        return
    table = Table("in", "values", "what happens", title=f"Encrypted with a key that is not in {ring.place}")
    for column, number in lost.items():
        table.add_row(str(column), str(number), column.if_lost or "nothing; they do no harm")
    out.print(table)
    if any(column.renewal for column in lost) and not yes:
        typer.confirm("Go on only if no backup has the key: what it encrypted cannot come back. Go on?", abort=True)
    kept = _with_owner(_renew)
    if kept is None:
        out.print("Nothing of this is replaced by the service itself.")
        return
    for each in kept:
        out.print(f"Keep this former public key (it is also in the audit log):\n{each}", soft_wrap=True)
    out.print("Done. The worker replaces certificates and keys in the next minutes; then run: sitewright doctor")


async def _renew(owner: Transaction, ring: Ring) -> list[str] | None:
    """What is to be kept, or None if there was nothing that the service replaces."""
    async with owner.transaction():
        former = await rotation.renew_lost(owner, ring.sealer, SEALED_COLUMNS)
        if not await store.has_written(owner):
            return None
        await audit.record(
            owner,
            actor=shell_actor().name,
            action="renew lost values",
            subject="master key",
            ref=None,
            brand_ref=None,
            to=ring.sealer.key_name.hex(),
            formerPublicKeys=former,
        )
    return former


async def _rotate(owner: Transaction, ring: Ring, to: str) -> Outcome:
    if not await try_lock(owner, Lock.KEY_ROTATION):
        raise MasterKeyError("Another rotation is under way. Wait until it has ended.")
    former = await rotation.count_former(owner, ring.sealer, SEALED_COLUMNS)
    if to:
        ring.put_first(_read(to))
    elif former:
        err.print(
            f"{former} values are encrypted with another key than {ring.sealer.key_name.hex()}, which encrypts now."
        )
    elif ring.is_configured:
        raise MasterKeyError(f"Everything that can be decrypted is encrypted with the first key already. {CONFIGURED}")
    else:
        ring.add(first=True)
    async with owner.transaction():
        await audit.record(
            owner,
            actor=shell_actor().name,
            action="rotate master key",
            subject="master key",
            ref=None,
            brand_ref=None,
            to=ring.sealer.key_name.hex(),
        )
    return await _seal_with_progress(owner, ring)


async def _seal_with_progress(owner: Transaction, ring: Ring) -> Outcome:
    """Re-encrypt with a progress bar for each column that has values to re-encrypt."""
    counts = await rotation.count(owner, SEALED_COLUMNS)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err) as progress:
        bars = {
            column: progress.add_task(str(column), total=total)
            for column, each in counts.items()
            if (total := sum(number for name, number in each.items() if name != ring.sealer.key_name))
        }

        def on_progress(column: SealedColumn, count: int) -> None:
            if column in bars:
                progress.advance(bars[column], count)

        return await rotation.reencrypt(owner, ring.sealer, SEALED_COLUMNS, on_progress)


def _ring() -> Ring:
    chosen = settings()
    return Ring(chosen.master_key, chosen.data_path)


def _existing_ring() -> Ring:
    """Without making a key: with one that was just made, everything would look lost."""
    chosen = settings()
    path = key_file(chosen.data_path).path
    if not chosen.master_key.strip() and not path.exists():
        raise MasterKeyError(
            f"There is no {path}. Check SITEWRIGHT_DATA_DIR and SITEWRIGHT_MASTER_KEY; if the key is lost, start the"
            " service first, which makes a new one."
        )
    return _ring()


def _read(name: str) -> bytes:
    try:
        return bytes.fromhex(name)
    except ValueError:
        raise MasterKeyError(f"{name} is no name of a key. See: sitewright keys list") from None


def _with_owner(work: Callable[[Transaction, Ring], Awaitable[T]]) -> T:
    """Run `work` as the owner of the tables, since some sealed columns are read-only for the service role."""

    async def run(url: str) -> T:
        owner = await store.connect(url)
        try:
            if not await owns_schema(owner):
                raise MasterKeyError(NOT_THE_OWNER)
            return await work(owner, _ring())
        finally:
            await owner.close()

    with database_for(settings()) as urls:
        return asyncio.run(run(urls.owner))
