"""Fuzz tests of parsers of untrusted input: some hundred cases in `make test`, 200,000 per parser in `make fuzz`."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

CASES = int(os.environ.get("FUZZ_CASES", "0"))
Test = TypeVar("Test", bound=Callable[..., Any])


def fuzzed(few: int, *, share: float = 1.0) -> Callable[[Test], Test]:
    """This many generated cases, the same ones every time. In `make fuzz` others each time: `share` of its parser's."""
    often = settings(
        max_examples=round(CASES * share) or few,
        derandomize=not CASES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: pytest.mark.fuzz(often(test))
