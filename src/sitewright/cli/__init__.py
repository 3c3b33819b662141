"""The `sitewright` command."""

import signal
import sys

SUPERVISED = {"serve", "api", "edge", "worker"}


def main() -> None:
    """Block SIGTERM during start-up, so that the supervisor handles one that arrives while modules are imported."""
    if SUPERVISED & set(sys.argv[1:2]):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    from sitewright.cli.commands import run  # noqa: PLC0415 - half a second of imports, after the line above

    run()
