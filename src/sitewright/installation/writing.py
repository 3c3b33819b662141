"""Writes the files of an installation, and creates its user, its folders, its database and its first brand."""

import json
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sitewright.installation.first_brand import catalogue_text
from sitewright.installation.inputs import Inputs, credentials_of, settings_text
from sitewright.installation.layout import Layout
from sitewright.installation.units import folders_file, unit_files, users_file
from sitewright.kit.atomic_files import replacing
from sitewright.settings import SettingsError


class InstallationError(Exception):
    """Something that the operator must do first; the text says what."""


def check_machine(layout: Layout) -> None:
    """Raise before anything is written."""
    if layout.settings_file.exists():
        raise InstallationError(f"{layout.settings_file} exists. Change it, or remove it to be asked again.")
    if os.geteuid() != 0 and _current_user() != layout.user:
        raise InstallationError(f"Run this as root: it writes units, and runs commands as the user {layout.user}.")
    if (closed := first_closed(layout)) is not None:
        raise InstallationError(
            f"The user {layout.user} could not run {layout.command}: {closed} is closed to other users."
            " Install Sitewright in a folder that every user may enter, with a Python that every user may run,"
            " like the system's: make PYTHON=/usr/bin/python3 .venv/runtime.stamp"
        )


def first_closed(layout: Layout) -> Path | None:
    """The first folder on the way to the program or its Python that only its owner may enter."""
    if layout.user == _current_user():
        return None
    user = pwd.getpwnam(layout.user).pw_uid if _exists(layout.user) else None
    programs = (layout.command, (layout.command.parent / "python").resolve())
    folders = (folder for program in programs if program.exists() for folder in reversed(program.parents))
    return next((each for each in folders if not each.stat().st_mode & 0o011 and each.stat().st_uid != user), None)


def write_files(layout: Layout, inputs: Inputs) -> list[Path]:
    """Every file that was written. A master key that exists is kept."""
    for folder in (layout.config, layout.units, layout.users, layout.folders, layout.script.parent):
        folder.mkdir(parents=True, exist_ok=True)
    layout.credentials.mkdir(mode=0o700, exist_ok=True)
    secrets = credentials_of(inputs)
    written = []
    for path, text, mode in _files(layout, inputs, secrets):
        if path.name == "master_key" and path.exists():
            continue
        with replacing(path, mode) as draft:
            draft.write(text.encode())
        written.append(path)
    return written


def _files(layout: Layout, inputs: Inputs, secrets: dict[str, str]) -> Iterator[tuple[Path, str, int]]:
    for name, secret in secrets.items():
        yield layout.credentials / name, secret + "\n", 0o600
    yield layout.catalogue, catalogue_text(inputs), 0o644
    for name, text in unit_files(layout, inputs.kind, sorted(secrets), inputs.addresses).items():
        yield layout.units / name, text, 0o644
    yield layout.users / "sitewright.conf", users_file(layout), 0o644
    yield layout.folders / "sitewright.conf", folders_file(layout), 0o644
    yield layout.script, script_text(layout, sorted(secrets)), 0o755
    yield layout.settings_file, settings_text(inputs, layout), 0o644


def script_text(layout: Layout, credentials: list[str]) -> str:
    """Commands need the settings, the secrets and the user of the service."""
    variables = {name: f"SITEWRIGHT_{name.upper()}" for name in credentials}
    exports = [
        f'[ -n "${variable}" ] || {variable}="$(cat {layout.credentials / name})" || exit 1; export {variable}'
        for name, variable in variables.items()  # without the master key, commands would create another one
    ]
    return "\n".join(
        [
            "#!/bin/sh",
            "# Runs Sitewright's commands with the settings, secrets and user of the service. Call it as root.",
            f'export SITEWRIGHT_CONFIG="${{SITEWRIGHT_CONFIG:-{layout.settings_file}}}"',
            *exports,
            f'[ "$(id -un)" = {layout.user} ] && exec {layout.command} "$@"',
            f'exec runuser -u {layout.user} -- {layout.command} "$@"',
            "",
        ]
    )


def create_user(layout: Layout) -> None:
    if _exists(layout.user):
        return
    if shutil.which("systemd-sysusers") is None:
        raise InstallationError(f"Create the user first: useradd --system --home-dir {layout.state} {layout.user}")
    _run("systemd-sysusers", str(layout.users / "sitewright.conf"))


def create_folders(layout: Layout) -> None:
    owner = pwd.getpwnam(layout.user)
    for folder in (layout.state, layout.data):
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(folder, owner.pw_uid, owner.pw_gid)


def create_database(layout: Layout, inputs: Inputs) -> dict[str, Any]:
    """Apply migrations and the catalogue, and create an operator and API credentials, which are returned once."""
    command = str(layout.script)
    _run(command, "migrate")
    _run(command, "catalogue", "apply", str(layout.catalogue))
    operator = _run(command, "credentials", "create", "--operator", inputs.operator)
    api = _run(command, "credentials", "create", "--brand", "1", "--label", "first")
    return {"operator": json.loads(operator), "api": json.loads(api)}


def _run(*command: str) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "10000"})
    if done.returncode != 0:
        raise InstallationError(f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def _current_user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise SettingsError("The current user has no name.") from error
