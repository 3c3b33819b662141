"""Shared by all commands: settings, access to the database, and which errors are shown without a traceback."""

import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg
from rich.console import Console

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.databases import database_for
from sitewright.kit.dumps import DumpError
from sitewright.kit.embedded import EmbeddedPostgresError
from sitewright.kit.migrations import MigrationError
from sitewright.kit.problems import Problem
from sitewright.kit.resources import Resources, open_resources
from sitewright.kit.sealing import MasterKeyError
from sitewright.kit.service_login import NotTheServiceRole
from sitewright.settings import Settings, SettingsError, load
from sitewright.transfer.errors import TransferError

T = TypeVar("T")
WIDTH_OF_FILES = 240
"""Of tables that go to a file or another program, which must find whole names and times in them."""


def _console(*, stderr: bool = False) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_OF_FILES
    return Console(stderr=stderr, highlight=False, soft_wrap=True, width=width)


out = _console()
err = _console(stderr=True)

EXPECTED_ERRORS = (
    SettingsError,
    EmbeddedPostgresError,
    MigrationError,
    MasterKeyError,
    NotTheServiceRole,
    DumpError,
    TransferError,
    Problem,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    OSError,
)


def settings() -> Settings:
    return load()


def shell_actor() -> Caller:
    """The operating system user who runs the command."""
    return Caller(role=Role.SYSTEM_OWNER, name=f"shell:{_login()}")


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "unknown"


def with_resources(work: Callable[[Resources], Awaitable[T]], chosen: Settings | None = None) -> T:
    """Run `work` against the service's database; an embedded one is started when it does not run.

    `chosen`: other settings than those of the environment.
    """
    from sitewright.features import LIFECYCLE, MAIL  # noqa: PLC0415 - half a second, which `--version` does not need

    loaded = (chosen or settings()).for_commands()
    with database_for(loaded) as urls:

        async def run() -> T:
            async with open_resources(loaded, urls.service, name="shell", lifecycle=LIFECYCLE, mail=MAIL) as resources:
                return await work(resources)

        return asyncio.run(run())
