"""`sitewright sites`: list the stored versions of a published site, and roll back to one."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.kit.resources import Resources
from sitewright.sites.publishing.versions import service
from sitewright.sites.publishing.versions.service import SnapshotSize

app = typer.Typer(help="Published sites: the last 50 versions of each are kept.", no_args_is_help=True)
Site = Annotated[int, typer.Argument(help="The site's ref.", min=1)]


@app.command()
def versions(site: Site) -> None:
    """List the stored versions of a site, newest first."""

    async def work(resources: Resources) -> list[SnapshotSize]:
        return await service.list_sizes(resources, shell_actor(), site)

    table = Table("version", "published", "template", "files", "KiB", "")
    for each in with_resources(work):
        published, size = f"{each.published_at:%Y-%m-%d %H:%M:%S}", f"{each.bytes / 1024:.0f}"
        shown = "shown" if each.is_current else ""
        table.add_row(str(each.version_ref), published, escape(each.template or ""), str(each.files), size, shown)
    out.print(table)


@app.command()
def rollback(
    site: Site,
    version: Annotated[int, typer.Option(help="The version to show again. See: sitewright sites versions", min=1)],
) -> None:
    """Serve an older version of a site. Its editable content does not change; the next publish serves that again."""

    async def work(resources: Resources) -> None:
        await service.roll_back(resources, shell_actor(), site, version)

    with_resources(work)
    out.print(f"Site {site} shows version {version}.")
