import time
from collections.abc import Callable

from sitewright.kit import clock


def wait_until(condition: Callable[[], bool], seconds: float, *, pause: float = 0.01) -> bool:
    """Asks again and again; False when the condition still does not hold after that time."""
    deadline = clock.stopwatch() + seconds
    while not condition():
        if clock.stopwatch() > deadline:
            return False
        time.sleep(pause)
    return True
