"""One attempt to bring an account to its described state, inside one transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors, Invalid, Problem, Stale
from sitewright.kit.resources import Resources
from sitewright.provisioning.accounts import store
from sitewright.provisioning.accounts.passwords import DescribedPasswords
from sitewright.provisioning.accounts.preparation import Needs, Ready
from sitewright.provisioning.accounts.schemas import AccountChange, PendingWork
from sitewright.tenants.brands.schemas import BrandSettings


class Failure(msgspec.Struct, frozen=True):
    path: str
    problem: Problem

    @property
    def errors(self) -> FieldErrors:
        """By path in the request."""
        if isinstance(self.problem, Invalid) and self.problem.errors:
            return {under(self.path, field): each for field, each in self.problem.errors.items()}
        return {self.path: {self.problem.code: self.problem.detail}}


class Run:
    """What the steps of an attempt share: they record changes, failures, and what must be prepared first."""

    def __init__(
        self, tx: Transaction, resources: Resources, caller: Caller, brand: BrandSettings, ready: Ready
    ) -> None:
        self.tx, self.resources, self.caller, self.brand, self.ready = tx, resources, caller, brand, ready
        self.passwords = DescribedPasswords.of(resources)
        self.changes: list[AccountChange] = []
        self.pending: list[PendingWork] = []
        self.failures: list[Failure] = []
        self.needs = Needs()

    def change(self, path: str, action: Literal["create", "update", "delete"], before: Any, after: Any) -> None:
        self.changes.append(AccountChange(path, action, before, after))

    def fail(self, path: str, problem: Problem) -> None:
        self.failures.append(Failure(path, problem))

    @asynccontextmanager
    async def step(self, path: str, *, unless: type[Problem] | None = None) -> AsyncIterator[None]:
        """Undo what fails, remember why, and go on, so that one response names every invalid path.

        `unless`: a problem that only leaves the step out.
        """
        await store.begin_step(self.tx, "step")
        try:
            yield
        except Problem as problem:
            if isinstance(problem, Stale) or problem.status >= 500:
                raise
            await store.undo_step(self.tx, "step")
            if unless is None or not isinstance(problem, unless):
                self.fail(path, problem)
        else:
            await store.keep_step(self.tx, "step")

    def raise_failures(self) -> None:
        """The first problem, or a 400 if there is one, with the errors of all."""
        if not self.failures:
            return
        errors = {path: each for failure in self.failures for path, each in failure.errors.items()}
        if any(isinstance(failure.problem, Invalid) for failure in self.failures):
            raise Invalid.fields(errors)
        problem = self.failures[0].problem
        problem.errors, problem.detail = errors, f"{', '.join(errors)}: {problem.detail}"
        raise problem


def under(path: str, field: str) -> str:
    return f"{path}.{field}" if path else field
