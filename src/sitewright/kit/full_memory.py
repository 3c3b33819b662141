"""Which process the kernel kills when the memory is full."""

from contextlib import suppress
from pathlib import Path

SCORE = 100
"""Of 1,000: counts as much as a tenth of the memory. systemd gives the same to the services of users."""
MAX_SCORE = 1000
_SCORE_FILE = Path("/proc/self/oom_score_adj")


def be_killed_first() -> None:
    """Have the kernel kill this process before its parent, which starts it again."""
    with suppress(OSError):  # a sandbox may forbid it; the service runs without it as well
        score = int(_SCORE_FILE.read_text()) + SCORE
        _SCORE_FILE.write_text(str(min(MAX_SCORE, score)))
