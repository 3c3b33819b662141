"""Cache of the certificate of each name, invalidated by database notifications and revalidated after 30 seconds.

A cached certificate is served at once while it is valid, even stale or while the database is unavailable; revalidation
happens in the background. Only a handshake for a name that is not cached waits, and not for long.
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
from sitewright.edge.single_flight import SingleFlight
from sitewright.kit import clock, hosts
from sitewright.kit.problems import Unavailable
from sitewright.kit.resources import Resources
from sitewright.kit.tls import server_context

LOOKUP_TIMEOUT_SECONDS = 3.0  # how long a handshake waits for the certificate of a name that is not cached
RETRY_SECONDS = 0.5
SESSION_CHECK_SECONDS = 30.0
MAX_CONTEXTS = 4_000  # of about 20 KiB
MAX_SESSIONS = 16
MAX_CONCURRENT_LOOKUPS = 8
ALL = "*"
Ref: TypeAlias = tuple[int, int]
"""Of a certificate: brand ref and certificate ref."""
_log = logging.getLogger("sitewright.edge")


class CachedCertificate(msgspec.Struct, frozen=True, gc=False):
    certificate: Ref
    not_after: datetime


class ServedContext(msgspec.Struct, frozen=True):
    context: ssl.SSLContext
    name: str
    """The host name it was first created for."""


class CertificateCache:
    def __init__(self, resources: Resources, lookups: SingleFlight) -> None:
        self._reads = resources.reads
        self._sealer = resources.sealer
        self._default_pem = default_certificate(resources.settings.data_path)
        self._default = server_context(*self._default_pem)
        self.cache: HostCache[CachedCertificate] = HostCache(
            lookups, "certificate", self._fetch, lambda host, _: wildcard_of(host)
        )
        self._contexts: Lru[Ref, ServedContext] = Lru(MAX_CONTEXTS)
        self._full: set[Ref] = set()
        self._stale: set[str] = set()
        self._has_stale = asyncio.Event()

    def __len__(self) -> int:
        return len(self.cache)

    def cached_context(self, name: str | None) -> ssl.SSLContext | None:
        host = _host(name)
        if host is None:
            return self._default
        entry = self.cache.get(host)
        if entry is None:
            return None
        is_fresh, known = self.cache.is_fresh(entry), entry.value
        if known is None:
            return self._default if is_fresh else None
        served = self._contexts.get(known.certificate)
        if served is None or known.not_after <= clock.real_now():
            return None
        if not is_fresh:
            self._mark_stale(host)
        return served.context

    async def find(self, name: str | None) -> ssl.SSLContext:
        """Look up the context of a name. The default one is not cached after a failure of the database."""
        host = _host(name)
        if host is None:
            return self._default
        try:
            await self.cache.look_up(host, LOOKUP_TIMEOUT_SECONDS)
        except Unavailable:
            _log.info("the certificate for a name could not be looked up; the default one is served")
        entry = self.cache.known(host)
        served = None if entry is None or entry.value is None else self._contexts.get(entry.value.certificate)
        return self._default if served is None else served.context

    async def _fetch(self, host: str) -> CachedCertificate | None:
        found = await self._reads.read(
            None, lambda connection: certificates.certificate_for_host(connection, self._sealer, host)
        )
        if found is None or not self._ensure_context(host, found):
            return None
        return CachedCertificate((found.brand_ref, found.ref), found.not_after)

    def _ensure_context(self, host: str, found: ServedCertificate) -> bool:
        """Create a TLS context for the certificate unless a usable one is cached. Return whether that worked."""
        ref = (found.brand_ref, found.ref)
        if ref in self._full or self._contexts.get(ref) is None:
            self._full.discard(ref)
            try:
                self._contexts.put(ref, ServedContext(server_context(found.chain, found.key), host))
            except ssl.SSLError as error:
                _log.error("certificate %d cannot be served for %s: %s", found.ref, host, error.reason)
                return False
        return True

    def on_notification(self, domain: str) -> None:
        """Invalidate by a notification: a host or `*.parent` whose certificates changed."""
        self.cache.record_change(domain)
        self._mark_stale(domain)

    def expire_all(self) -> None:
        """Mark everything stale, since notifications may have been missed."""
        self.cache.expire_all()
        self._mark_stale(ALL)

    def _mark_stale(self, domain: str) -> None:
        self._stale.add(domain)
        self._has_stale.set()

    async def run(self) -> None:
        """Run the background tasks for the life of the process."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._revalidate_stale())
            group.create_task(self._replace_full_contexts())

    async def _revalidate_stale(self) -> None:
        while True:
            await self._has_stale.wait()
            self._has_stale.clear()
            stale, self._stale = self._stale, set()
            names = self._affected_hosts(stale)
            for start in range(0, len(names), MAX_CONCURRENT_LOOKUPS):
                batch = names[start : start + MAX_CONCURRENT_LOOKUPS]
                results = await asyncio.gather(*(self._revalidate(name) for name in batch))
                self._stale.update(name for name, was_found in zip(batch, results, strict=True) if not was_found)
            if self._stale:
                await asyncio.sleep(RETRY_SECONDS)
                self._has_stale.set()

    def _affected_hosts(self, stale: set[str]) -> list[str]:
        """Return the cached hosts of exact names, and through the index those below wildcards."""
        if ALL in stale:
            return list(self.cache.known_hosts())
        return list(dict.fromkeys(name for each in stale for name in (each, *self.cache.hosts_in(each))))

    async def _revalidate(self, name: str) -> bool:
        """Revalidate a host and return whether that succeeded; a negative entry is simply evicted."""
        entry = self.cache.peek(name)
        if entry is None or entry.value is None:
            self.cache.evict(name)
            return True
        entry.read_at = EXPIRED
        try:
            await self.cache.look_up(name, LOOKUP_TIMEOUT_SECONDS)
        except Unavailable:
            return False
        return True

    async def _replace_full_contexts(self) -> None:
        """Replace contexts with many sessions: OpenSSL stores up to 20,000 of TLS 1.2 clients without tickets in each
        context, for two hours."""
        while True:
            await asyncio.sleep(SESSION_CHECK_SECONDS)
            for ref in tuple(self._contexts):
                served = self._contexts.peek(ref)
                if served is not None and has_many_sessions(served.context):
                    self._full.add(ref)
                    self._mark_stale(served.name)
                await asyncio.sleep(0)
            if has_many_sessions(self._default):
                self._default = server_context(*self._default_pem)


def has_many_sessions(context: ssl.SSLContext) -> bool:
    return context.session_stats()["number"] > MAX_SESSIONS


def wildcard_of(host: str) -> str:
    return f"*.{host.partition('.')[2]}"


def _host(name: str | None) -> str | None:
    """Normalize a host name; None when it cannot have a certificate."""
    try:
        return None if name is None else hosts.normalize(name)
    except ValueError:
        return None
