"""`sitewright init`: asks what a production installation needs, writes its files and creates its first brand."""

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.markup import escape

from sitewright.cli.context import err, out
from sitewright.installation.inputs import Inputs, problem_with
from sitewright.installation.layout import Layout
from sitewright.installation.writing import (
    InstallationError,
    check_machine,
    create_database,
    create_folders,
    create_user,
    write_files,
)

app = typer.Typer()

QUESTIONS = {
    "public_url": "Public address of the service, like https://service.example.com",
    "site_addresses": "Public IP addresses of this machine, which customers enter at their DNS, separated by commas",
    "database_url": "PostgreSQL, like postgresql://owner:password@host/database (empty: the embedded one)",
    "kind": "One service (all-in-one), or one for each part (parts)",
    "acme_contact": "Mail address for automatic certificates of Let's Encrypt (empty: no automatic certificates)",
    "smtp_host": "Mail server (empty: mails are written to files)",
    "smtp_port": "Port of the mail server",
    "smtp_security": "Its encryption: starttls, tls or none",
    "smtp_username": "User name at the mail server (empty: none)",
    "smtp_password": "Password at the mail server",
    "mail_from": "Sender of mails, like Example <no-reply@example.com> (empty: no-reply@ the brand's domain)",
    "brand_name": "Name of the first brand",
    "brand_domain": "Domain of the first brand, like example.com",
    "language": "Language of the first brand: en, de, es, fr or pt",
    "currency": "Currency of the first brand: USD, EUR or BRL",
    "operator": "User name of the first operator",
}
OF_MAIL = ("smtp_port", "smtp_security", "smtp_username", "smtp_password", "mail_from")
SECRET = frozenset({"smtp_password"})
DEFAULT = Layout(command=Path(sys.argv[0]).absolute())
OPTIONAL = {
    field.name: str(field.default) if isinstance(field.default, (str, int)) else ""
    for field in msgspec.structs.fields(Inputs)
    if not field.required
}
"""The default of each input that has one."""
InputsFile = Annotated[
    Path | None,
    typer.Option("--inputs", exists=True, dir_okay=False, help="A TOML file with the inputs, instead of questions."),
]


@app.command()
def init(
    inputs: InputsFile = None,
    command: Annotated[Path | None, typer.Option(help="The installed program. Default: the one that runs.")] = None,
    config_dir: Annotated[Path, typer.Option(help="Where settings and credentials go.")] = DEFAULT.config,
    state_dir: Annotated[Path, typer.Option(help="Where the service keeps its data.")] = DEFAULT.state,
    unit_dir: Annotated[Path, typer.Option(help="Where the units of systemd go.")] = DEFAULT.units,
    script: Annotated[Path, typer.Option(help="The command to write for operators.")] = DEFAULT.script,
    user: Annotated[str, typer.Option(help="The user that the service runs as.")] = DEFAULT.user,
    files_only: Annotated[
        bool, typer.Option("--files-only", help="Write the files, and create neither user, database nor brand.")
    ] = False,
) -> None:
    """Set up a production installation: settings, credentials, units of systemd and a first brand."""
    layout = Layout(
        command=(command or DEFAULT.command).absolute(),
        config=config_dir.absolute(),
        state=state_dir.absolute(),
        units=unit_dir.absolute(),
        users=_beside(unit_dir.absolute(), "sysusers.d"),
        folders=_beside(unit_dir.absolute(), "tmpfiles.d"),
        script=script.absolute(),
        user=user,
    )
    try:
        check_machine(layout)
        _set_up(layout, _read(inputs) if inputs else _ask_all(), files_only=files_only)
    except InstallationError as error:
        err.print(f"[red]sitewright:[/red] {escape(str(error))}")
        raise typer.Exit(1) from None


def _beside(unit_dir: Path, name: str) -> Path:
    """/etc/sysusers.d for /etc/systemd/system, else a folder inside the given one."""
    return Path("/etc") / name if unit_dir == DEFAULT.units else unit_dir / name


def _set_up(layout: Layout, inputs: Inputs, *, files_only: bool) -> None:
    for path in write_files(layout, inputs):
        out.print(f"Wrote {escape(str(path))}")
    if not files_only:
        create_user(layout)
        create_folders(layout)
        created = create_database(layout, inputs)
        out.print(f"Created the database and the brand {escape(inputs.brand_name)}. Keep these; they are shown once:")
        out.print_json(msgspec.json.encode(created).decode())
    services = "sitewright" if inputs.kind == "all-in-one" else "sitewright-api sitewright-edge sitewright-worker"
    out.print(f"Next: back up the master key, {escape(str(layout.credentials / 'master_key'))}, and start the service:")
    out.print(f"  systemctl daemon-reload && systemctl enable --now {services}", style="bold")
    out.print(f"  {layout.script} doctor", style="bold")


def _read(file: Path) -> Inputs:
    try:
        given = msgspec.toml.decode(file.read_bytes(), type=dict[str, Any])
        for name, value in given.items():
            if (problem := problem_with(name, value)) is not None and value not in ("", []):
                raise InstallationError(f"{file.name}: {name}: {problem}")
        return msgspec.convert(given, Inputs)
    except msgspec.MsgspecError as error:
        raise InstallationError(f"{file.name}: {error}") from error


def _ask_all() -> Inputs:
    given: dict[str, Any] = {}
    for name, question in QUESTIONS.items():
        if not _is_moot(name, given):
            given[name] = _ask(name, question)
    return msgspec.convert(given, Inputs, strict=False)


def _is_moot(name: str, given: dict[str, Any]) -> bool:
    if name == "kind":
        return not given["database_url"]
    if name == "smtp_password" and not given.get("smtp_username"):
        return True
    return name in OF_MAIL and not given["smtp_host"]


def _ask(name: str, question: str) -> Any:
    """Ask again until the input is usable."""
    default = OPTIONAL.get(name)
    while True:
        text = typer.prompt(question, default=default, type=str, hide_input=name in SECRET, show_default=bool(default))
        text = text.strip()
        entered: Any = [each.strip() for each in text.split(",") if each.strip()] if name == "site_addresses" else text
        problem = problem_with(name, entered)
        if problem is None:
            return entered
        err.print(escape(problem), style="red")
