"""`sitewright settings`: the settings file with every default, which is part of the package."""

import sys
from importlib.resources import files

import typer

app = typer.Typer()


@app.command()
def settings() -> None:
    """Print every setting with its explanation and its default, as a settings file."""
    sys.stdout.write(files("sitewright").joinpath("sitewright.default.toml").read_text(encoding="utf-8"))
