"""How many cases property-based tests run: a share in `make test`, all in `make test-deep`."""

import os

from hypothesis import HealthCheck, settings

DEEP = os.environ.get("SITEWRIGHT_TESTS") == "deep"


def cases(small: int, deep: int) -> settings:
    """This many generated cases. The same ones every time in `make test`, others each time in `make test-deep`."""
    return settings(
        max_examples=deep if DEEP else small,
        derandomize=not DEEP,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def share(small: int, deep: int) -> int:
    return deep if DEEP else small
