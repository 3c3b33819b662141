import os
from pathlib import Path

from sitewright.kit.embedded.account import Account

LARGEST_LOG = 10 * 1024 * 1024


def open_server_log(path: Path, account: Account) -> int:
    """A descriptor to append to; a log that has grown large is first put aside, replacing the one before."""
    if path.exists() and path.stat().st_size > LARGEST_LOG:
        path.replace(path.with_name(path.name + ".1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.fchown(descriptor, account.uid, account.gid)
    return descriptor


def reason_in(said: str) -> str:
    """The sentence of a log that best says why the server stopped."""
    lines = said.strip().splitlines() or ["it said nothing"]
    for severity in ("PANIC:", "FATAL:"):
        for line in reversed(lines):
            if severity in line:
                return line.partition(severity)[2].strip()
    return lines[-1]
