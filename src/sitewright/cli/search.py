"""`sitewright search`: the index of words by which customers are found."""

import typer
from rich.progress import Progress

from sitewright.accounts.search import rebuilding
from sitewright.accounts.search.rebuilding import Rebuilt
from sitewright.cli.context import err, out, with_resources
from sitewright.kit.resources import Resources

app = typer.Typer(help="Search: the words by which customers are found.", no_args_is_help=True)


@app.callback()
def search() -> None:
    """Search: the words by which customers are found."""


@app.command()
def rebuild() -> None:
    """Compare the search terms of every customer with their names and domains, and correct them. The service may be
    running; interrupted, the worker completes it."""

    async def work(resources: Resources) -> Rebuilt:
        with Progress(console=err, transient=True) as progress:
            task = progress.add_task("Comparing", total=None)
            return await rebuilding.rebuild_all(resources, lambda users: progress.advance(task, users))

    rebuilt = with_resources(work)
    out.print(f"Compared {rebuilt.users} customers; corrected {rebuilt.corrected} search terms.")
