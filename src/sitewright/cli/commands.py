"""The operator's commands. Each module is a thin layer over the features and the kit."""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup
from typer.main import get_group

from sitewright import __version__
from sitewright.cli.context import EXPECTED_ERRORS, err, out
from sitewright.cli.help_texts import simplify
from sitewright.kit.db import NOT_MIGRATED
from sitewright.kit.versions import NEWEST

COMMANDS = {
    "serve": "running",
    "api": "running",
    "edge": "running",
    "worker": "running",
    "migrate": "running",
    "doctor": "doctor",
    "init": "init",
    "settings": "default_settings",
    "call": "sign",
    "backup": "dumps",
    "restore": "dumps",
}
"""Single commands, and the module of this package that defines each."""
GROUPS = (
    "brands",
    "catalogue",
    "certificates",
    "credentials",
    "dns",
    "domains",
    "jobs",
    "keys",
    "mail",
    "mailboxes",
    "media",
    "reports",
    "search",
    "sites",
    "statistics",
    "webhooks",
    "audit",
    "billing",
)
"""Groups of subcommands, each defined in the module of the same name."""


class LazyCommands(TyperGroup):
    """Import a command's module only when it is used: importing all of them adds a second to every command."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *super().list_commands(ctx), *GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = self._find(ctx, cmd_name)
        return None if found is None else simplify(found, ctx)

    def _find(self, ctx: Any, name: str) -> Any:
        if name in COMMANDS:
            return _group(COMMANDS[name]).commands[name]
        return _group(name) if name in GROUPS else super().get_command(ctx, name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        simplify(self, ctx)
        super().format_help(ctx, formatter)


def _group(module: str) -> TyperGroup:
    group = get_group(import_module(f"sitewright.cli.{module}").app)
    group.name = module
    return group


app = typer.Typer(cls=LazyCommands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def sitewright(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the software version and exit."),
    ] = False,
) -> None:
    """Sitewright: a self-hosted website provisioning and account service."""


@app.command()
def version() -> None:
    """Print the software version, and the API releases that it serves."""
    out.print(f"Sitewright software version {__version__}, API releases 7.1 to 7.{NEWEST}")


def run() -> None:
    try:
        app()
    except NOT_MIGRATED as error:
        err.print(
            f"[red]sitewright:[/red] The database is not up to date ({escape(str(error))}). Run: sitewright migrate"
        )
        sys.exit(1)
    except EXPECTED_ERRORS as error:
        err.print(f"[red]sitewright:[/red] {escape(str(error))}")
        sys.exit(1)
