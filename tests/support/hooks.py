from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from sitewright.kit.lifecycle import Hook, Observer

T = TypeVar("T")


@contextmanager
def also_observed_by(hook: Hook[T], observer: Observer[T]) -> Iterator[None]:
    """Call `observer` during this context too, after the observers of the process."""
    before = hook.observers
    hook.observers = (*(before or ()), observer)
    try:
        yield
    finally:
        hook.observers = before
