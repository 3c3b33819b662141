"""The `sitewright` command."""

from sitewright.cli.main import main

__all__ = ["main"]
