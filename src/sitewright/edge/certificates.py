"""Which certificate is shown for a name: remembered, told of changes by the database, and asked again after a while.

What is remembered is shown at once as long as it is valid, whether the database can be asked or not; a change is
looked up beside the handshakes, as soon as it is told. Only a name that is not remembered waits, and not for long.
"""

import asyncio
import logging
import ssl
from datetime import datetime
from typing import TypeAlias

import msgspec

from sitewright.domains.certificates import service as certificates
from sitewright.domains.certificates.schemas import ServedCertificate
from sitewright.edge.default_certificate import default_certificate
from sitewright.edge.host_cache import EXPIRED, HostCache
from sitewright.edge.lru import Lru
from sitewright.edge.questions import Questions
from sitewright.kit import clock, hosts
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.tls import server_context

PATIENCE_SECONDS = 3.0  # how long a client waits to learn the certificate of a name that is not remembered
AGAIN_SECONDS = 0.5
TIDY_SECONDS = 30.0
MOST_CONTEXTS = 4_000  # of about 20 KiB
MOST_SESSIONS = 16
ASKED_AT_ONCE = 8
ALL = "*"
Ref: TypeAlias = tuple[int, int]
"""Of a certificate: its brand's and its own."""
_log = logging.getLogger("sitewright.edge")


class Known(msgspec.Struct, frozen=True, gc=False):
    certificate: Ref
    not_after: datetime


class Shown(msgspec.Struct, frozen=True):
    context: ssl.SSLContext
    name: str
    """For which it was made first."""


class Certificates:
    def __init__(self, resources: Resources, questions: Questions) -> None:
        self._database = resources.database
        self._sealer = resources.sealer
        self._default_pem = default_certificate(resources.settings.data_path)
        self._default = server_context(*self._default_pem)
        self.cache: HostCache[Known] = HostCache(
            questions, "certificate", self._load, lambda host, _: wildcard_of(host)
        )
        self._contexts: Lru[Ref, Shown] = Lru(MOST_CONTEXTS)
        self._worn: set[Ref] = set()
        self._doubtful: set[str] = set()
        self._in_doubt = asyncio.Event()

    def __len__(self) -> int:
        return len(self.cache)

    def at_hand(self, name: str | None) -> ssl.SSLContext | None:
        host = _host(name)
        if host is None:
            return self._default
        entry = self.cache.get(host)
        if entry is None:
            return None
        is_fresh, known = self.cache.is_fresh(entry), entry.value
        if known is None:
            return self._default if is_fresh else None
        shown = self._contexts.get(known.certificate)
        if shown is None or known.not_after <= clock.real_now():
            return None
        if not is_fresh:
            self._doubt(host)
        return shown.context

    async def find(self, name: str | None) -> ssl.SSLContext:
        """That of a name nobody knows now is not remembered: the database may be away."""
        host = _host(name)
        if host is None:
            return self._default
        try:
            await self.cache.ask(host, PATIENCE_SECONDS)
        except Unavailable:
            _log.info("the certificate for a name could not be looked up; the default one is shown")
        entry = self.cache.known(host)
        shown = None if entry is None or entry.value is None else self._contexts.get(entry.value.certificate)
        return self._default if shown is None else shown.context

    async def _load(self, host: str) -> Known | None:
        async with self._database.connection() as connection:
            found = await certificates.certificate_for_host(connection, self._sealer, host)
        if found is None or not self._has_context(host, found):
            return None
        return Known((found.brand_ref, found.ref), found.not_after)

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
        self.cache.note_change(domain)
        self._doubt(domain)

    def doubt_all(self) -> None:
        """Everything is asked for again: notifications may have been missed."""
        self.cache.expire_all()
        self._doubt(ALL)

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
        """Exact names are looked up directly, and those below a wildcard in the index by parent."""
        if ALL in doubtful:
            return list(self.cache.known_hosts())
        return list(dict.fromkeys(name for each in doubtful for name in (each, *self.cache.hosts_in(each))))

    async def _ask_again(self, name: str) -> bool:
        """Whether there was an answer. Of a name without a certificate it is enough to forget that it has none."""
        entry = self.cache.peek(name)
        if entry is None or entry.value is None:
            self.cache.drop(name)
            return True
        entry.asked_at = EXPIRED
        try:
            await self.cache.ask(name, PATIENCE_SECONDS)
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
