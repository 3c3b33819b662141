import time
from collections.abc import Callable

from sitewright.kit import clock


def do_nothing() -> None: ...


def wait_until(
    condition: Callable[[], bool], seconds: float, *, pause: float = 0.01, on_wait: Callable[[], None] = do_nothing
) -> bool:
    """Poll the condition; False if it does not hold before the timeout. `on_wait` is called before each pause."""
    deadline = clock.stopwatch() + seconds
    while not condition():
        if clock.stopwatch() > deadline:
            return False
        on_wait()
        time.sleep(pause)
    return True
