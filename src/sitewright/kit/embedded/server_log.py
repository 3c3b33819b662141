"""The log file of the embedded server, and the reason of a failure in it."""

import os
from pathlib import Path

from sitewright.kit.embedded.account import Account
from sitewright.kit.embedded.private_files import give

MAX_LOG_BYTES = 10 * 1024 * 1024


def open_server_log(path: Path, account: Account) -> int:
    """A descriptor to append to; a log over the size limit is rotated first, replacing the previous one."""
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_name(path.name + ".1"))
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    give(descriptor, uid=account.uid, gid=account.gid)
    return descriptor


def reason_in(log: str) -> str:
    """The line of a log that best explains why the server stopped."""
    lines = log.strip().splitlines() or ["its log is empty"]
    for severity in ("PANIC:", "FATAL:"):
        for line in reversed(lines):
            if severity in line:
                return line.partition(severity)[2].strip()
    return lines[-1]
