"""How much the longer tests do: a little in `make test`, more in `make test-deep` and `make chaos`."""

import os

from hypothesis import HealthCheck, settings

DEEP = os.environ.get("SITEWRIGHT_TESTS") == "deep"


THINK_SECONDS = 0.0 if DEEP else 0.05
"""Between two requests of a client that goes on until something has happened: other tests need the processor too."""


def cases(small: int, deep: int) -> settings:
    """Hypothesis settings: `small` generated cases, the same ones every time, or `deep` others each time."""
    return settings(
        max_examples=deep if DEEP else small,
        derandomize=not DEEP,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def share(small: int, deep: int) -> int:
    """A number of repetitions: `deep` in `make test-deep` and `make chaos`, otherwise `small`."""
    return deep if DEEP else small
