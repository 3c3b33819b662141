"""Which mails were carried away, written down in the background: what gathers meanwhile goes in one transaction."""

import asyncio
from typing import Self

from sitewright.kit.mail import outcomes
from sitewright.kit.mail.carriers import Carrier, NotCarried
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.resources import Resources

MOST = 8
"""Mails of one sender that were carried away and are not written down: should it die, they are carried once more."""


class Notes:
    def __init__(self, resources: Resources, carrier: Carrier) -> None:
        self._resources = resources
        self._carrier = carrier
        self._waiting: list[tuple[WaitingMail, dict[str, str]]] = []
        self._being_written: list[tuple[WaitingMail, dict[str, str]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def add(self, mail: WaitingMail, note: dict[str, str]) -> None:
        """`note`: what is worth a word in the log. Raises what went wrong with those before: then nothing else may be
        carried."""
        self._waiting.append((mail, note))
        in_doubt = len(self._waiting) + len(self._being_written)
        if self._writing is not None and (self._writing.done() or in_doubt >= MOST):
            await self._finish()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """All are written down then."""
        await self._finish()

    async def _finish(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            await writing

    async def _write(self) -> None:
        while self._waiting:
            self._being_written, self._waiting = self._waiting, []
            await self._settle()
            await outcomes.sent(self._resources, self._being_written)
            self._being_written = []

    async def _settle(self) -> None:
        try:
            await self._carrier.settle()
        except NotCarried as reason:
            mails = [mail for mail, _ in (*self._being_written, *self._waiting)]
            await outcomes.put_off(self._resources, mails, str(reason))
            raise
