"""The help of every command can be read without knowing the library that generates it."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from sitewright import __version__
from sitewright.cli.commands import COMMANDS, GROUPS, app

RAW = ("<bool>", "range", "<=", ">=", "<int>", "<str>", "%Y", "[[")


def commands() -> Iterator[list[str]]:
    yield []
    root: Any = get_command(app)
    context = root.context_class(root)
    for name in (*COMMANDS, *GROUPS):
        yield [name]
        for subcommand in getattr(root.get_command(context, name), "commands", ()):
            yield [name, subcommand]


def test_help_has_no_raw_types_and_explains_every_parameter() -> None:
    """One test for all commands: importing them when tests are collected would slow every run down."""
    for command in commands():
        result = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [*command, "--help"])
        assert result.exit_code == 0, command
        assert [raw for raw in RAW if raw in result.output] == [], command
        rows = [line.strip("│ ") for line in result.output.splitlines() if line.startswith("│ ")]
        assert [row for row in rows if row.endswith(">")] == [], f"{command}: a parameter without an explanation"


def test_the_version_can_be_asked_for() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, __version__ in result.output) == (0, True)
