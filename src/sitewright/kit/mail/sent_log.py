"""Records sent mails in the background, in batches: all that are sent during one write go into the next."""

import asyncio
from typing import Self

from sitewright.kit.mail.outcomes import MailOutcomes
from sitewright.kit.mail.store import WaitingMail
from sitewright.kit.mail.transports import SendError, Transport

MAX_UNRECORDED = 8
"""Mails of one batch that are sent but not recorded yet: if the worker dies, they are sent again."""


class SentLog:
    def __init__(self, outcomes: MailOutcomes, transport: Transport) -> None:
        self._outcomes = outcomes
        self._transport = transport
        self._waiting: list[tuple[WaitingMail, dict[str, str]]] = []
        self._being_written: list[tuple[WaitingMail, dict[str, str]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def add(self, mail: WaitingMail, note: dict[str, str]) -> None:
        """`note`: fields for the log. Raises the error of an earlier write: then no further mail may be sent."""
        self._waiting.append((mail, note))
        unrecorded = len(self._waiting) + len(self._being_written)
        if self._writing is not None and (self._writing.done() or unrecorded >= MAX_UNRECORDED):
            await self._finish()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Waits until all are recorded."""
        await self._finish()

    async def _finish(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            await writing

    async def _write(self) -> None:
        while self._waiting:
            self._being_written, self._waiting = self._waiting, []
            await self._flush()
            await self._outcomes.sent(self._being_written)
            self._being_written = []

    async def _flush(self) -> None:
        try:
            await self._transport.flush()
        except SendError as reason:
            mails = [mail for mail, _ in (*self._being_written, *self._waiting)]
            await self._outcomes.retry(mails, str(reason))
            raise
