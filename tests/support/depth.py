"""How much the longer tests do: a little in `make test`, more in `make test-deep` and `make chaos`."""

import os

from hypothesis import HealthCheck, settings

DEEP = os.environ.get("SITEWRIGHT_TESTS") == "deep"


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
