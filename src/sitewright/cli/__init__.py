"""The `sitewright` command."""

import signal
import sys

SUPERVISED = {"serve", "api", "edge", "worker"}


def main() -> None:
    """A stop while the service still starts, or even imports, is held back and then heard by its supervisor."""
    if SUPERVISED & set(sys.argv[1:2]):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    from sitewright.cli.main import run  # noqa: PLC0415 - half a second of imports, after the line above

    run()
