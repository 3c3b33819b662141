"""Which mails were carried away, written down in the background: what gathers meanwhile goes in one transaction."""

import asyncio

from sitewright.kit.mail import outcomes
from sitewright.kit.mail.carriers import Carrier
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.resources import Resources

MOST = 8
"""Mails of one sender that were carried away and are not written down: should it die, they are carried once more."""


class Notes:
    def __init__(self, resources: Resources, carrier: Carrier) -> None:
        self._resources = resources
        self._carrier = carrier
        self._waiting: list[WaitingMail] = []
        self._being_written: list[WaitingMail] = []
        self._writing: asyncio.Task[None] | None = None

    async def add(self, mail: WaitingMail) -> None:
        """Raises what went wrong with those before: then nothing else may be carried."""
        self._waiting.append(mail)
        in_doubt = len(self._waiting) + len(self._being_written)
        if self._writing is not None and (self._writing.done() or in_doubt >= MOST):
            await self.finish()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def finish(self) -> None:
        """Until all are written down."""
        writing, self._writing = self._writing, None
        if writing is not None:
            await writing

    async def _write(self) -> None:
        while self._waiting:
            self._being_written, self._waiting = self._waiting, []
            await self._carrier.settle()
            await outcomes.sent(self._resources, self._being_written)
            self._being_written = []
