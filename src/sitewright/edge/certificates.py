"""Which certificate is shown for a name: remembered, told of changes by the database, and asked again after a while.

What is remembered is shown at once as long as it is valid, whether the database can be asked or not; a change is
looked up beside the handshakes, as soon as it is told. Only a name that is not remembered waits, and not for long.
"""

import asyncio
import logging
import ssl
from datetime import datetime
from functools import partial
from typing import TypeAlias

import msgspec

from sitewright.certificates import service as certificates
from sitewright.certificates.schemas import ServedCertificate
from sitewright.edge.default_certificate import default_certificate
from sitewright.edge.lru import Lru
from sitewright.edge.questions import Questions
from sitewright.kit import clock, hosts
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.tls import server_context

GOOD_SECONDS = 30.0
PATIENCE_SECONDS = 3.0  # how long a client waits to learn the certificate of a name that is not remembered
AGAIN_SECONDS = 0.5
TIDY_SECONDS = 30.0
MOST_NAMES = 50_000
MOST_UNKNOWN_NAMES = 20_000
MOST_CONTEXTS = 4_000  # of about 20 KiB
MOST_SESSIONS = 16
ASKED_AT_ONCE = 8
MOST_TOLD = 100_000
LONG_AGO = float("-inf")
Ref: TypeAlias = tuple[int, int]
"""Of a certificate: its brand's and its own."""
_log = logging.getLogger("sitewright.edge")


class Known(msgspec.Struct, gc=False):
    certificate: Ref
    not_after: datetime
    asked_at: float
    """When the look-up began: what changed since may not be in it. Long ago, once it is in doubt."""


class Shown(msgspec.Struct, frozen=True):
    context: ssl.SSLContext
    name: str
    """For which it was made first."""


class Certificates:
    def __init__(self, resources: Resources, questions: Questions) -> None:
        self._database = resources.database
        self._sealer = resources.sealer
        self._questions = questions
        self._default_pem = default_certificate(resources.settings.data_path)
        self._default = server_context(*self._default_pem)
        self._known: Lru[str, Known] = Lru(MOST_NAMES)
        self._unknown: Lru[str, float] = Lru(MOST_UNKNOWN_NAMES)
        self._contexts: Lru[Ref, Shown] = Lru(MOST_CONTEXTS)
        self._worn: set[Ref] = set()
        self._good_from = 0.0
        self._told: dict[str, float] = {}
        """What changed while look-ups are under way, and when it was told."""
        self._doubtful: set[str] = set()
        self._in_doubt = asyncio.Event()

    def __len__(self) -> int:
        return len(self._known) + len(self._unknown)

    def at_hand(self, name: str | None) -> ssl.SSLContext | None:
        host = _host(name)
        if host is None:
            return self._default
        known = self._known.get(host)
        if known is None:
            return self._default if self._is_good(self._unknown.get(host)) else None
        shown = self._contexts.get(known.certificate)
        if shown is None or known.not_after <= clock.real_now():
            return None
        if not self._is_good(known.asked_at):
            self._doubt(host)
        return shown.context

    async def find(self, name: str | None) -> ssl.SSLContext:
        """That of a name nobody knows now is not remembered: the database may be away."""
        host = _host(name)
        if host is None:
            return self._default
        try:
            await self._ask(host, PATIENCE_SECONDS)
        except Unavailable:
            _log.info("the certificate for a name could not be looked up; the default one is shown")
        known = self._known.get(host)
        shown = None if known is None else self._contexts.get(known.certificate)
        return self._default if shown is None else shown.context

    def _is_good(self, asked_at: float | None) -> bool:
        return asked_at is not None and asked_at >= self._good_from and clock.stopwatch() - asked_at < GOOD_SECONDS

    async def _ask(self, host: str, patience: float) -> None:
        await self._questions.ask(("certificate", host), partial(self._look_up, host), patience)

    async def _look_up(self, host: str) -> None:
        while True:
            asked_at = clock.stopwatch()
            async with self._database.connection() as connection:
                found = await certificates.certificate_for_host(connection, self._sealer, host)
            told = max(self._told.get(host, 0.0), self._told.get(wildcard_of(host), 0.0), self._good_from)
            if told <= asked_at:
                self._remember(host, found, asked_at)
                return

    def _remember(self, host: str, found: ServedCertificate | None, asked_at: float) -> None:
        self._known.drop(host)
        self._unknown.drop(host)
        if found is None or not self._has_context(host, found):
            self._unknown.put(host, asked_at)
        else:
            self._known.put(host, Known((found.brand_ref, found.ref), found.not_after, asked_at))

    def _has_context(self, host: str, found: ServedCertificate) -> bool:
        """Made where there is none yet, or one that has served its time."""
        ref = (found.brand_ref, found.ref)
        if ref in self._worn or self._contexts.get(ref) is None:
            self._worn.discard(ref)
            try:
                self._contexts.put(ref, Shown(server_context(found.chain, found.key), host))
            except ssl.SSLError as error:
                _log.error("certificate %d cannot be shown for %s: %s", found.ref, host, error.reason)
                return False
        return True

    def tell(self, domain: str) -> None:
        """A notification: a host, or `*.parent`, whose certificates are others now."""
        if self._questions.are_open:
            self._told[domain] = clock.stopwatch()
        else:
            self._told.clear()
        if len(self._told) > MOST_TOLD:
            self.doubt_all()
        self._doubt(domain)

    def doubt_all(self) -> None:
        """Everything is asked for again: notifications may have been missed."""
        self._told.clear()
        self._good_from = clock.stopwatch()
        self._doubt("*")

    def _doubt(self, domain: str) -> None:
        self._doubtful.add(domain)
        self._in_doubt.set()

    async def keep(self) -> None:
        """What goes on beside the handshakes, for as long as the process lives."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._settle_doubts())
            group.create_task(self._tidy())

    async def _settle_doubts(self) -> None:
        while True:
            await self._in_doubt.wait()
            self._in_doubt.clear()
            doubtful, self._doubtful = self._doubtful, set()
            names = self._concerned(doubtful)
            for at in range(0, len(names), ASKED_AT_ONCE):
                some = names[at : at + ASKED_AT_ONCE]
                asked = await asyncio.gather(*(self._ask_again(name) for name in some))
                self._doubtful.update(name for name, was_answered in zip(some, asked, strict=True) if not was_answered)
            if self._doubtful:
                await asyncio.sleep(AGAIN_SECONDS)
                self._in_doubt.set()

    def _concerned(self, doubtful: set[str]) -> list[str]:
        """The names that are remembered with a certificate; of others it is enough to forget that they have none."""

        def is_concerned(name: str) -> bool:
            return name in doubtful or wildcard_of(name) in doubtful or "*" in doubtful

        for name in [name for name in self._unknown if is_concerned(name)]:
            self._unknown.drop(name)
        return [name for name in self._known if is_concerned(name)]

    async def _ask_again(self, name: str) -> bool:
        """Whether there was an answer."""
        known = self._known.get(name)
        if known is not None:
            known.asked_at = LONG_AGO
        try:
            await self._ask(name, PATIENCE_SECONDS)
        except Unavailable:
            return False
        return True

    async def _tidy(self) -> None:
        """OpenSSL keeps with each context the sessions of TLS 1.2 clients that know no tickets, 20,000 of them for two
        hours. Contexts with many are made anew."""
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            for ref in tuple(self._contexts):
                shown = self._contexts.peek(ref)
                if shown is not None and is_worn(shown.context):
                    self._worn.add(ref)
                    self._doubt(shown.name)
                await asyncio.sleep(0)
            if is_worn(self._default):
                self._default = server_context(*self._default_pem)


def is_worn(context: ssl.SSLContext) -> bool:
    return context.session_stats()["number"] > MOST_SESSIONS


def wildcard_of(host: str) -> str:
    return f"*.{host.partition('.')[2]}"


def _host(name: str | None) -> str | None:
    """The one form of a host name; None: nothing that could have a certificate."""
    try:
        return None if name is None else hosts.normalise(name)
    except ValueError:
        return None
