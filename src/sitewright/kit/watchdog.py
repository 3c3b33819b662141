"""Reports the supervised parts to the service manager, and finds those that hang.

A part hangs if its pulse stands still at several checks in a row. Checks are counted, not seconds, so that a machine
that was paused does not look like one.
"""

from collections.abc import Sequence

import msgspec

from sitewright.kit import clock
from sitewright.kit.pulse import Pulse
from sitewright.kit.systemd import ServiceManager

CHECKS = 4
"""Within the manager's limit: a part is restarted before the manager would restart the whole service."""
STARTING_SECONDS = 0.1  # between checks, until the service is ready
NEVER = 3600.0


class Watched(msgspec.Struct):
    """A running part with its pulse."""

    pid: int
    pulse: Pulse


class Watchdog:
    def __init__(self, manager: ServiceManager) -> None:
        self._manager = manager
        self._check_at = 0.0
        self._is_ready = False
        self._last_beats: dict[int, int] = {}
        self._still_checks: dict[int, int] = {}

    def seconds_to_check(self) -> float:
        return max(0.0, self._check_at - clock.stopwatch())

    def check(self, parts: Sequence[Watched | None]) -> list[int]:
        """The pids of parts that hang. None stands for a part that does not run at the moment."""
        if self._check_at > clock.stopwatch():
            return []
        if not self._is_ready:
            self._report_if_ready(parts)
        hung = [each.pid for each in parts if each is not None and self._hangs(each)] if self._is_watching else []
        self._report()
        return hung

    def beat(self) -> None:
        """Only report that the supervisor works, while it waits for something and checks no parts."""
        if self._check_at <= clock.stopwatch():
            self._report()

    @property
    def _is_watching(self) -> bool:
        return self._is_ready and self._manager.watchdog_seconds is not None

    def _report(self) -> None:
        if self._is_watching:
            self._manager.notify("WATCHDOG=1")
        self._check_at = clock.stopwatch() + self._interval()

    def _interval(self) -> float:
        if not self._is_ready:
            return STARTING_SECONDS
        limit = self._manager.watchdog_seconds
        return NEVER if limit is None else limit / (CHECKS + 1)

    def _report_if_ready(self, parts: Sequence[Watched | None]) -> None:
        if all(each is not None and each.pulse.is_ready for each in parts):
            self._is_ready = True
            self._manager.notify("READY=1")

    def _hangs(self, part: Watched) -> bool:
        beats = part.pulse.beats
        stands_still = self._last_beats.get(part.pid) == beats
        self._last_beats[part.pid] = beats
        self._still_checks[part.pid] = self._still_checks.get(part.pid, 0) + 1 if stands_still else 0
        return self._still_checks[part.pid] >= CHECKS
