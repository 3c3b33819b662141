"""Accounts are registered at first use, with a key that is sealed in the database, and shared by all workers."""

import asyncio
import logging
from datetime import datetime, timedelta

import aiohttp
import msgspec

from sitewright.domains.certificates.acme.accounts import store
from sitewright.domains.certificates.acme.client.authority import Authority, Binding
from sitewright.domains.certificates.acme.client.jws import AccountKey
from sitewright.domains.certificates.acme.client.transport import open_session
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources

CLOCK_TOLERANCE = timedelta(hours=1)
"""Beyond it, the validity of certificates would be checked by a wrong time."""
NOTE_SECONDS = 30.0
_log = logging.getLogger("sitewright.certificates")


class AccountState(msgspec.Struct, frozen=True):
    unavailable_since: datetime | None
    clock_skew: timedelta
    """How far this machine's clock is ahead."""


async def states(connection: Transaction) -> dict[str, AccountState]:
    """By directory."""
    return {
        directory: AccountState(since, timedelta(seconds=seconds))
        for directory, since, seconds in await store.list_states(connection)
    }


class Authorities:
    """The authorities that this process has used, with their connections."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._session: aiohttp.ClientSession | None = None
        self._known: dict[str, Authority] = {}
        self._lock = asyncio.Lock()
        self._noted: dict[str, tuple[float, timedelta]] = {}
        self._reported: set[str] = set()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def find(self, directory: str) -> Authority:
        """Registered and ready for orders. Raises `AcmeError` and `AuthorityUnavailable`."""
        async with self._lock:
            known = self._known.get(directory)
            if known is None:
                known = await self._load(directory)
            if known.account_url is None:
                await self._register(known)
            self._known[directory] = known
            return known

    async def register_again(self, directory: str) -> Authority:
        """The authority no longer knows the account: it is registered again with the same key."""
        (await self.find(directory)).account_url = None
        return await self.find(directory)

    async def note_available(self, authority: Authority) -> None:
        """Records that it responds, and how far our clock is from its clock; a wrong clock is logged once."""
        skew, url = authority.transport.clock_skew, authority.directory_url
        noted_at, noted_skew = self._noted.get(url, (float("-inf"), skew))
        if clock.stopwatch() - noted_at < NOTE_SECONDS and abs(skew - noted_skew) < timedelta(minutes=1):
            return
        self._noted[url] = clock.stopwatch(), skew
        async with self._resources.database.connection() as connection:
            await store.save_available(connection, authority.directory_url, int(skew.total_seconds()))
        if abs(skew) <= CLOCK_TOLERANCE:
            self._reported.discard(authority.directory_url)
        elif authority.directory_url not in self._reported:
            self._reported.add(authority.directory_url)
            message = "the clock of this machine is wrong: it is %s %s the certificate authority's. Set it (NTP)"
            _log.error(message, abs(skew), "ahead of" if skew > timedelta() else "behind")

    async def note_unavailable(self, directory: str) -> timedelta:
        """Returns for how long it has not responded."""
        now = clock.now()
        self._noted.pop(directory, None)
        async with self._resources.database.connection() as connection:
            return now - await store.save_unavailable(connection, directory, now)

    async def _load(self, directory: str) -> Authority:
        sealer, context = self._resources.sealer, f"acme account/{directory}"
        async with self._resources.database.connection() as connection:
            found = await store.find(connection, directory)
            if found is None:
                new = sealer.seal(AccountKey.generate().pem, context)
                await store.insert(connection, directory, new, clock.now())
                found = await store.find(connection, directory)
        if found is None:
            raise RuntimeError("the account of the certificate authority was deleted")
        if self._session is None:
            self._session = open_session(self._resources.settings.acme_ca_file)
        authority = Authority(self._session, directory, AccountKey.load(sealer.unseal(found.sealed_key, context)))
        authority.account_url = found.url
        return authority

    async def _register(self, authority: Authority) -> None:
        settings = self._resources.settings
        is_fallback = authority.directory_url == settings.acme_fallback_directory
        binding = Binding(settings.acme_eab_kid, settings.acme_eab_key) if settings.acme_eab_kid else None
        url = await authority.register(settings.acme_contact, None if is_fallback else binding)
        async with self._resources.database.connection() as connection:
            await store.save_url(connection, authority.directory_url, url)
        _log.info("registered an account at %s", authority.directory_url)


def authorities_of(resources: Resources) -> Authorities:
    """One for each process."""
    return resources.opened.get(Authorities, lambda: Authorities(resources))
