"""What `sitewright serve` shows before its log: where everything is, and the demo's log-ins."""

from typing import Any

import msgspec
from rich import box
from rich.table import Table

from sitewright import __version__
from sitewright.app import PUBLIC
from sitewright.cli.context import err
from sitewright.demo.service import demo_file
from sitewright.settings import Settings

PAGES = (("Start page", "/"), ("Log-in", "/login"), ("Console", "/console"), ("API reference", "/docs"))


def show_start_table(chosen: Settings, *, demo: bool) -> None:
    table = Table(box=box.ROUNDED, show_header=False, title=f"Sitewright {__version__}", title_justify="left")
    existing = {route.path for route in PUBLIC}
    for name, path in PAGES:
        if path in existing:
            query = "?brandRef=1" if demo and path == "/login" else ""
            table.add_row(name, f"{chosen.service_url}{path}{query}")
    table.add_row("API", chosen.api_url)
    table.add_row("Published sites", f"{chosen.site_url} and {chosen.site_tls_url}")
    if demo:
        _add_log_ins(table, chosen)
    err.print(table)
    err.print("Stop with Ctrl-C.")


def _add_log_ins(table: Table, chosen: Settings) -> None:
    """Show passwords on a terminal only: other output is a log, which holds no secrets."""
    file = demo_file(chosen)
    document: dict[str, Any] = msgspec.json.decode(file.read_bytes())
    brand = document["brands"][0]
    with_history = document["historyBrand"]
    table.add_section()
    table.add_row(
        "Log in as", "user name / password" if err.is_terminal else "user name (passwords: see the file below)"
    )
    for name, log_in in (
        ("Demo customer", brand["demoUser"]),
        ("Demo brand", brand["basic"]),
        ("Demo support", document["staff"]["support"]),
        ("System owner", document["systemOwner"]),
        *([("Console history", with_history["console"])] if with_history else []),
    ):
        password = f" / {log_in['password']}" if err.is_terminal else ""
        table.add_row(name, f"{log_in['username']}{password}")
    table.add_row("All credentials", str(file))
