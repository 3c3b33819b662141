"""Requests to one certificate authority: signed, with fresh nonces, bounded in time and size."""

import ssl
from collections import deque
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import msgspec

from sitewright import __version__
from sitewright.domains.certificates.acme.client.errors import AcmeError, AuthorityUnavailable, Problem
from sitewright.domains.certificates.acme.client.jws import AccountKey
from sitewright.kit import clock

TIMEOUT_SECONDS = 30
MAX_BYTES = 1024 * 1024
MAX_CONNECTIONS = 32
MAX_NONCES = 64
NONCE_ATTEMPTS = 12
"""Authorities reject a nonce that is old or was sent to another of their servers; each rejection has a new one."""
JOSE = {"Content-Type": "application/jose+json"}


class Reply(msgspec.Struct, frozen=True):
    status: int
    body: bytes
    location: str
    retry_after: float | None


def open_session(ca_file: str) -> aiohttp.ClientSession:
    """`ca_file`: certificate authorities to trust in addition to the machine's."""
    trust = ssl.create_default_context()
    if ca_file:
        trust.load_verify_locations(ca_file)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=MAX_CONNECTIONS, ssl=trust),
        timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": f"sitewright/{__version__}"},
    )


class Transport:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self._nonces: deque[str] = deque(maxlen=MAX_NONCES)
        self.new_nonce_url = ""
        self.clock_skew = timedelta()
        """How far this machine's clock is ahead of the authority's, by its last response."""

    async def get(self, url: str) -> Reply:
        return _checked(await self._send("GET", url))

    async def post(self, url: str, key: AccountKey, payload: Any = None, kid: str | None = None) -> Reply:
        """Without `payload` it only reads (POST-as-GET). `kid`: the account's URL; else the key itself is sent."""
        content = b"" if payload is None else msgspec.json.encode(payload)
        identity: dict[str, Any] = {"jwk": key.jwk} if kid is None else {"kid": kid}
        for attempt in range(1, NONCE_ATTEMPTS + 1):
            body = key.sign({**identity, "nonce": await self._nonce(), "url": url}, content)
            reply = await self._send("POST", url, body)
            try:
                return _checked(reply)
            except AcmeError as error:
                if error.problem.kind != "badNonce" or attempt == NONCE_ATTEMPTS:
                    raise
        raise AssertionError  # the loop returns or raises

    async def _nonce(self) -> str:
        if not self._nonces:
            await self._send("HEAD", self.new_nonce_url)
        if not self._nonces:
            raise AuthorityUnavailable("The certificate authority sent no nonce.")
        return self._nonces.popleft()

    async def _send(self, method: str, url: str, body: bytes | None = None) -> Reply:
        try:
            async with self._session.request(
                method, url, data=body, headers=JOSE if body is not None else None, allow_redirects=False
            ) as response:
                content = await response.content.read(MAX_BYTES)
                while len(content) < MAX_BYTES and (more := await response.content.read(MAX_BYTES - len(content))):
                    content += more
                self._note(response.headers)
                retry_after = _seconds_until(response.headers.get("Retry-After"))
                return Reply(response.status, content, response.headers.get("Location", ""), retry_after)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise AuthorityUnavailable(
                f"The certificate authority cannot be reached ({type(error).__name__})."
            ) from error

    def _note(self, headers: Any) -> None:
        if nonce := headers.get("Replay-Nonce"):
            self._nonces.append(nonce)
        if (sent := _date(headers.get("Date"))) is not None:
            self.clock_skew = clock.real_now() - sent


def decode(reply: Reply, kind: type[Any]) -> Any:
    """Raises `AuthorityUnavailable` for a document that is none of ACME."""
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AuthorityUnavailable("The certificate authority sent a response that is not ACME.") from error


def _checked(reply: Reply) -> Reply:
    if reply.status < 300:
        return reply
    try:
        problem = msgspec.json.decode(reply.body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        problem = Problem()
    if not problem.type or problem.kind == "serverInternal" or (reply.status >= 500 and problem.kind != "rateLimited"):
        detail = f"The certificate authority cannot work just now (status {reply.status})."
        raise AuthorityUnavailable(detail, reply.retry_after)
    raise AcmeError(problem, reply.retry_after)


def _seconds_until(header: str | None) -> float | None:
    """Of `Retry-After`: seconds, or a date."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    at = _date(header)
    return None if at is None else max((at - clock.real_now()).total_seconds(), 0.0)


def _date(header: str | None) -> datetime | None:
    try:
        at = None if header is None else parsedate_to_datetime(header)
    except ValueError:
        return None
    return at if at is None or at.tzinfo is not None else at.replace(tzinfo=UTC)
