"""Wait for an idle machine, so that no measurement pays for what the one before it left behind.

A service that has just started imports modules and sends the demo's mails; PostgreSQL vacuums tables that a
measurement has filled.
"""

import os
import time
from pathlib import Path

IDLE_FRACTION = 0.1
"""At most this fraction of one core is in use when the machine counts as idle."""
LOOK_SECONDS = 1.0
LONGEST_SECONDS = 20.0
_TICKS = os.sysconf("SC_CLK_TCK")
_BUSY = (0, 1, 2, 5, 6)
"""In `/proc/stat`: user, nice, system, irq and softirq."""


def wait_until_idle() -> None:
    """Give up after some time: a busy machine is measured as it is."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while _cores_in_use() > IDLE_FRACTION and time.monotonic() < deadline:
        pass


def _cores_in_use() -> float:
    before, started = _busy_seconds(), time.monotonic()
    time.sleep(LOOK_SECONDS)
    return (_busy_seconds() - before) / (time.monotonic() - started)


def _busy_seconds() -> float:
    """The CPU time of all processes since the machine started."""
    ticks = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return sum(ticks[place] for place in _BUSY) / _TICKS
