"""Imports the whole service once, and forks a process for each command that `tests.support.forked` sends."""

import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
from importlib import import_module
from typing import Any

from sitewright.kit.auth import argon2id
from tests.support.hashing import CHEAP

MAX_REQUEST_BYTES = 1024 * 1024
IMPORTED_LATE = (
    "sitewright.demo.authority.keys",
    "sitewright.demo.authority.service",
    "sitewright.domains.dns.providers.rfc2136",
    "sitewright.kit.jobs.queue",
    "sitewright.kit.jobs.worker",
    "sitewright.webhooks.deliveries.posting",
)
"""What some processes of the service import when they need it."""


def serve(requests: socket.socket) -> dict[str, Any] | None:
    """Returns in every child, with the command that it is to run; in the server itself, when the tests have ended."""
    running: dict[int, int] = {}
    woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        readable, _, _ = select.select([requests.fileno(), woken], [], [])
        if woken in readable:
            os.read(woken, 4096)
            _report_ended(running)
        if requests.fileno() not in readable:
            continue
        message, descriptors, _, _ = socket.recv_fds(requests, MAX_REQUEST_BYTES, 2)
        if not message:
            return None
        ended, output = descriptors
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (*running.values(), ended, woken, wake, requests.fileno()):
                os.close(each)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            command: dict[str, Any] = json.loads(message)
            return command
        os.close(output)
        os.write(ended, f"{pid}\n".encode())
        running[pid] = ended


def _report_ended(running: dict[int, int]) -> None:
    for pid in list(running):
        reaped, status = os.waitpid(pid, os.WNOHANG)
        if reaped:
            with open(running.pop(pid), "wb") as ended:  # noqa: PTH123 - a descriptor
                ended.write(b"%d\n" % os.waitstatus_to_exitcode(status))


def _import_everything() -> None:
    """With cheap hashing in everything that is imported after it was chosen: a start of the demo hashes eight times."""
    argon2id.HASHER = CHEAP
    commands = import_module("sitewright.cli.commands")
    for name in (*commands.COMMANDS.values(), *commands.GROUPS):
        import_module(f"sitewright.cli.{name}")
    for name in IMPORTED_LATE:
        import_module(name)
    commands.app(["version"], standalone_mode=False)  # typer imports more when it parses a command line


def _main(requests: socket.socket) -> None:
    _import_everything()
    gc.freeze()  # stays shared by all commands
    command = serve(requests)
    if command is None:
        return
    if command["new_session"]:
        os.setsid()
    os.environ.clear()
    os.environ.update(command["env"])
    sys.argv = [command["module"], *command["arguments"]]
    runpy.run_module(command["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main(socket.socket(fileno=int(sys.argv[1])))
