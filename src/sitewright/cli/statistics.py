"""`sitewright statistics`: rebuild the figures of brands from their rows."""

from typing import Annotated

import typer

from sitewright.cli.context import out, with_resources
from sitewright.kit.resources import Resources
from sitewright.kit.validation.fields import MAX_INTEGER
from sitewright.statistics import upkeep

app = typer.Typer(help="Figures of brands: accounts, revenue, sites and visits by day.", no_args_is_help=True)


@app.callback()
def statistics() -> None:
    """Keep `rebuild` a subcommand, although it is the only one."""


@app.command()
def rebuild(
    brand: Annotated[int | None, typer.Option(min=1, max=MAX_INTEGER, help="Only this brand.")] = None,
) -> None:
    """Count the figures again from the rows, and correct those that are wrong. The service may run meanwhile."""

    async def work(resources: Resources) -> None:
        if brand is None:
            await upkeep.rebuild_all(resources.database, _show)
        else:
            _show(brand, await upkeep.rebuild(resources.database, brand))

    with_resources(work)


def _show(brand_ref: int, corrected: int) -> None:
    out.print(f"Brand {brand_ref}: {corrected} figures corrected." if corrected else f"Brand {brand_ref}: correct.")
