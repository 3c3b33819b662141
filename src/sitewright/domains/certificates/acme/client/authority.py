"""A certificate authority as one account sees it: accounts, orders, authorizations, certificates, renewal windows."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import aiohttp
import msgspec

from sitewright.domains.certificates.acme.client.errors import AcmeError, StillProcessing
from sitewright.domains.certificates.acme.client.jws import AccountKey, base64url, external_account_binding
from sitewright.domains.certificates.acme.client.messages import Authorization, Directory, Order, RenewalInfo
from sitewright.domains.certificates.acme.client.transport import Reply, Transport, decode
from sitewright.kit import clock

DIRECTORY_SECONDS = 3600.0
WAIT_SECONDS = 90.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 5.0
T = TypeVar("T", Order, Authorization)
_log = logging.getLogger("sitewright.certificates")


class Binding(msgspec.Struct, frozen=True):
    """External account binding: the key's name and the key in base64url."""

    kid: str
    key: str


class Authority:
    """Requests of one account. `account_url` is known once the account is registered."""

    def __init__(self, session: aiohttp.ClientSession, directory_url: str, key: AccountKey) -> None:
        self.directory_url = directory_url
        self.key = key
        self.account_url: str | None = None
        self.transport = Transport(session)
        self._directory: Directory | None = None
        self._read_at = 0.0
        self._has_warned = False

    async def directory(self) -> Directory:
        """Read again every hour: authorities change it without notice."""
        if self._directory is None or clock.stopwatch() - self._read_at > DIRECTORY_SECONDS:
            found: Directory = decode(await self.transport.get(self.directory_url), Directory)
            self.transport.new_nonce_url = found.new_nonce
            self._directory, self._read_at = found, clock.stopwatch()
        return self._directory

    async def register(self, contact: str, binding: Binding | None) -> str:
        """Create the account, or find the one that this key has already. Returns its URL."""
        directory = await self.directory()
        new: dict[str, Any] = {"termsOfServiceAgreed": True}
        if contact:
            new["contact"] = [f"mailto:{contact}"]
        if binding is not None:
            new["externalAccountBinding"] = external_account_binding(
                binding.kid, binding.key, self.key, directory.new_account
            )
        reply = await self.transport.post(directory.new_account, self.key, new)
        self.account_url = reply.location
        return reply.location

    async def new_order(self, names: Sequence[str], profile: str = "", replaces: str | None = None) -> Order:
        """`replaces`: the certificate that is renewed, which exempts the order from rate limits (RFC 9773)."""
        directory = await self.directory()
        new: dict[str, Any] = {"identifiers": [{"type": "dns", "value": name} for name in names]}
        if profile and profile in directory.meta.profiles:
            new["profile"] = profile
        elif profile and not self._has_warned:
            self._has_warned = True
            _log.warning("%s has no profile %s, its default is used", self.directory_url, profile)
        if replaces and directory.renewal_info:
            new["replaces"] = replaces
        reply = await self._post(directory.new_order, new)
        return _order(reply, reply.location)

    async def order(self, url: str) -> Order:
        return _order(await self._post(url), url)

    async def authorization(self, url: str) -> Authorization:
        found: Authorization = decode(await self._post(url), Authorization)
        return found

    async def begin_challenge(self, url: str) -> None:
        """The response is in place: the authority may look at it."""
        await self._post(url, {})

    async def finalize(self, order: Order, csr: bytes) -> Order:
        return _order(await self._post(order.finalize, {"csr": base64url(csr)}), order.url)

    async def certificate(self, url: str) -> str:
        """The chain as PEM, the certificate first."""
        return (await self._post(url)).body.decode("ascii", "replace")

    async def renewal_info(self, certificate_id: str) -> tuple[RenewalInfo | None, float | None] | None:
        """The window, or None where the request was refused, and when to ask again; None where it is not offered."""
        base = (await self.directory()).renewal_info
        if base is None:
            return None
        try:
            reply = await self.transport.get(f"{base.rstrip('/')}/{certificate_id}")
        except AcmeError as error:
            return None, error.retry_after
        found: RenewalInfo = decode(reply, RenewalInfo)
        return found, reply.retry_after

    async def wait_for_order(self, url: str, *, until: Sequence[str]) -> Order:
        return await self._wait(lambda: self._post(url), lambda reply: _order(reply, url), until)

    async def wait_for_authorization(self, url: str) -> Authorization:
        """Until it is neither pending nor processing."""
        return await self._wait(
            lambda: self._post(url), lambda reply: decode(reply, Authorization), ("valid", "invalid", "revoked",
            "expired", "deactivated"),
        )  # fmt: skip

    async def _wait(self, fetch: Callable[[], Awaitable[Reply]], read: Callable[[Reply], T], until: Sequence[str]) -> T:
        """Poll as the authority asks, with growing pauses. Raises `StillProcessing` when it takes too long."""
        deadline, pause = clock.stopwatch() + WAIT_SECONDS, FIRST_PAUSE_SECONDS
        while True:
            reply = await fetch()
            found = read(reply)
            if found.status in until or found.status == "invalid":
                return found
            wanted = max(pause, reply.retry_after or 0.0)
            if clock.stopwatch() + wanted > deadline:
                raise StillProcessing(reply.retry_after)
            await asyncio.sleep(wanted)
            pause = min(pause * 1.6, LONGEST_PAUSE_SECONDS)

    async def _post(self, url: str, payload: Any = None) -> Reply:
        await self.directory()  # says where nonces come from: a new process may begin with an order that it resumes
        return await self.transport.post(url, self.key, payload, self.account_url)


def _order(reply: Reply, url: str) -> Order:
    found: Order = decode(reply, Order)
    return msgspec.structs.replace(found, url=url)
