"""`sitewright media`: where the bytes of media are stored."""

from typing import Annotated, Literal

import typer
from rich.progress import Progress

from sitewright.cli.context import err, out, with_resources
from sitewright.kit.resources import Resources
from sitewright.sites.media.storage import moving
from sitewright.sites.media.storage.moving import AnotherMove, CopyDiffers, Outcome

app = typer.Typer(help="Media: move their bytes between PostgreSQL and S3.", no_args_is_help=True)
StoreName = Literal["postgresql", "s3"]


@app.callback()
def media() -> None:
    """Media: move their bytes between PostgreSQL and S3."""


@app.command()
def move(
    to: Annotated[StoreName, typer.Option("--to", help="The store that all media are moved to.")],
) -> None:
    """Move all media to the other store while the service is running. Interrupted, it can be run again."""
    source = "postgresql" if to == "s3" else "s3"

    async def work(resources: Resources) -> Outcome:
        if resources.settings.media_store != to:
            err.print(
                f"media_store is not {to} in these settings: new uploads may still go to {source}. Change it on"
                " every node and restart them first, so that one run moves everything."
            )
        total = (await moving.count(resources, source)).kept
        with Progress(console=err, transient=True) as progress:
            task = progress.add_task(f"Moving to {to}", total=total)
            return await moving.move_all(resources, source, to, lambda _bytes: progress.advance(task))

    try:
        outcome = with_resources(work)
    except CopyDiffers as error:
        err.print(f"Stopped: {error}.")
        raise typer.Exit(1) from None
    except AnotherMove:
        err.print("Another move of media is under way. Wait until it has ended.")
        raise typer.Exit(1) from None
    out.print(f"Moved {outcome.moved} files, {outcome.bytes / 2**20:.1f} MiB. Left in {source}: {outcome.left.kept}.")
    if outcome.left.kept or outcome.left.pending:
        out.print(
            f"{outcome.left.pending} uploads or deletions are not complete there. Run the command again in an hour."
        )
