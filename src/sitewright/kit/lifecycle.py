"""Lifecycle hooks: how a feature reaches the features above it when something of its own changes or ends.

A feature declares its hooks in `hooks.py` and notifies them from its service. Who observes which hook is one explicit
list, `features.LIFECYCLE`, which every process is given when it starts: importing a module never adds an observer.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from sitewright.kit.db import Transaction

T = TypeVar("T")
Observer: TypeAlias = Callable[[Transaction, T], Awaitable[None]]


class LifecycleNotInstalled(RuntimeError):
    """A change would have lost its effects on other features, so it is rolled back."""

    def __init__(self, hook: str) -> None:
        super().__init__(
            f"The lifecycle hook {hook} has no list of observers in this process."
            " Start the process with open_resources(..., lifecycle=features.LIFECYCLE)."
        )


class Hook(Generic[T]):
    """Notifies its observers in order, in the transaction of the change: if one fails, the change is rolled back."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.observers: tuple[Observer[T], ...] | None = None
        """None until the process has installed its list."""

    def observed_by(self, *observers: Observer[T]) -> "Wiring":
        return Wiring(self, observers)

    async def notify(self, tx: Transaction, what: T) -> None:
        if self.observers is None:
            raise LifecycleNotInstalled(self.name)
        for observer in self.observers:
            await observer(tx, what)


class Observable(Protocol):
    """A hook, or a list of another kind that is installed like one."""

    name: str
    observers: Any


class Wiring:
    """One line of the list: a hook and its observers."""

    def __init__(self, hook: Observable, observers: tuple[Any, ...]) -> None:
        self.hook = hook
        self.observers = observers


class Lifecycle:
    """The list of all hooks with their observers."""

    def __init__(self, *wirings: Wiring) -> None:
        self.wirings = wirings

    def install(self) -> None:
        for wiring in self.wirings:
            wiring.hook.observers = wiring.observers
