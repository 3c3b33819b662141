import time
from collections.abc import Callable

from sitewright.kit import clock


def wait_until(condition: Callable[[], bool], seconds: float, *, pause: float = 0.01) -> bool:
    """Poll the condition; False if it does not hold before the timeout."""
    deadline = clock.stopwatch() + seconds
    while not condition():
        if clock.stopwatch() > deadline:
            return False
        time.sleep(pause)
    return True
