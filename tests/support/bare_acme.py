"""A minimal ACME client: one connection pool, no storage, no retries. Benchmarks compare the service with it."""

import asyncio
import base64
import hashlib
import hmac
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

Respond = Callable[[str, str, str], Awaitable[None]]
"""Called with the host, the token (or `_acme-challenge.` name) and the value to serve there."""
POLL_SECONDS = 0.01


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class AcmeFailed(Exception):
    def __init__(self, status: int, headers: Any, problem: dict[str, Any]) -> None:
        super().__init__(f"{status} {problem}")
        self.status = status
        self.headers = headers
        self.kind = str(problem.get("type", "")).rpartition(":")[2]


class Response(msgspec.Struct):
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.json.decode(self.body)
        return document


class AcmeClient:
    def __init__(self, session: aiohttp.ClientSession, directory: dict[str, Any]) -> None:
        self.directory = directory
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.kid: str | None = None
        self._session = session
        self._nonces: list[str] = []

    @property
    def jwk(self) -> dict[str, str]:
        numbers = self.key.public_key().public_numbers()
        return {"crv": "P-256", "kty": "EC", "x": b64(numbers.x.to_bytes(32, "big")), "y": b64(numbers.y.to_bytes(32))}

    @property
    def thumbprint(self) -> str:
        return b64(hashlib.sha256(msgspec.json.encode(self.jwk)).digest())

    async def nonce(self) -> str:
        if self._nonces:
            return self._nonces.pop()
        async with self._session.head(self.directory["newNonce"]) as response:
            return response.headers["Replay-Nonce"]

    async def post(self, url: str, payload: object = None, /, **header: Any) -> Response:
        """`payload`: None for POST-as-GET. `header` overrides fields of the protected header."""
        protected: dict[str, Any] = {"alg": "ES256", "nonce": await self.nonce(), "url": url}
        protected |= {"kid": self.kid} if self.kid else {"jwk": self.jwk}
        first = b64(msgspec.json.encode(protected | header))
        second = "" if payload is None else b64(msgspec.json.encode(payload))
        r, s = decode_dss_signature(self.key.sign(f"{first}.{second}".encode(), ec.ECDSA(hashes.SHA256())))
        signature = b64(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        body = msgspec.json.encode({"protected": first, "payload": second, "signature": signature})
        headers = {"Content-Type": "application/jose+json"}
        async with self._session.post(url, data=body, headers=headers) as response:
            content = await response.read()
            if nonce := response.headers.get("Replay-Nonce"):
                self._nonces.append(nonce)
            if response.status >= 400:
                raise AcmeFailed(response.status, response.headers, msgspec.json.decode(content))
            return Response(response.status, response.headers, content)

    async def register(self, **fields: Any) -> Response:
        wanted = {"termsOfServiceAgreed": True, "contact": ["mailto:hostmaster@example.com"]} | fields
        response = await self.post(self.directory["newAccount"], wanted)
        self.kid = response.headers["Location"]
        return response

    def external_binding(self, kid: str, key: bytes) -> dict[str, str]:
        header = {"alg": "HS256", "kid": kid, "url": self.directory["newAccount"]}
        protected, payload = b64(msgspec.json.encode(header)), b64(msgspec.json.encode(self.jwk))
        code = hmac.digest(key, f"{protected}.{payload}".encode(), "sha256")
        return {"protected": protected, "payload": payload, "signature": b64(code)}

    async def order(self, *names: str, **fields: Any) -> Response:
        identifiers = [{"type": "dns", "value": name} for name in names]
        return await self.post(self.directory["newOrder"], {"identifiers": identifiers} | fields)

    async def authorize(self, url: str, kind: str, respond: Respond) -> dict[str, Any]:
        """Serve the challenge and wait for its result: the authorization as it became."""
        authorization = (await self.post(url)).json
        if authorization["status"] != "pending":
            return authorization
        [challenge] = [each for each in authorization["challenges"] if each["type"] == kind]
        host, expected = authorization["identifier"]["value"], f"{challenge['token']}.{self.thumbprint}"
        if kind == "http-01":
            await respond(host, challenge["token"], expected)
        else:
            await respond(host, f"_acme-challenge.{host}", b64(hashlib.sha256(expected.encode()).digest()))
        await self.post(challenge["url"], {})
        return await self.wait_for(url, "pending")

    async def wait_for(self, url: str, *passing: str) -> dict[str, Any]:
        while True:
            document = (await self.post(url)).json
            if document["status"] not in passing:
                return document
            await asyncio.sleep(POLL_SECONDS)

    async def finalize(self, order: Response, names: list[str]) -> str:
        """Request the certificate with a new key: the chain as PEM."""
        document = (await self.post(order.json["finalize"], {"csr": b64(signing_request(names))})).json
        if document["status"] == "processing":
            document = await self.wait_for(order.headers["Location"], "processing")
        return (await self.post(document["certificate"])).body.decode()

    async def obtain(self, *names: str, respond: Respond, kind: str = "http-01", **fields: Any) -> str:
        """The chain of a certificate for the names."""
        order = await self.order(*names, **fields)
        for url in order.json["authorizations"]:
            authorization = await self.authorize(url, kind, respond)
            assert authorization["status"] == "valid", authorization
        return await self.finalize(order, list(names))


def signing_request(names: list[str], key: ec.EllipticCurvePrivateKey | None = None) -> bytes:
    alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    builder = x509.CertificateSigningRequestBuilder(x509.Name([])).add_extension(alternatives, critical=False)
    signed = builder.sign(key or ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.DER)


@asynccontextmanager
async def acme_client(directory: str, ca_file: Path) -> AsyncIterator[AcmeClient]:
    connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(ca_file)))
    async with aiohttp.ClientSession(connector=connector) as session:
        async with session.get(directory) as response:
            resources = await response.json()
        yield AcmeClient(session, resources)
