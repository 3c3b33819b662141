"""Signed requests (RFC 8555, 6.2): who sent them, and what they say."""

from typing import Any

import msgspec
from aiohttp import web

from sitewright.demo.authority.behavior import Faults
from sitewright.demo.authority.jose import Flattened, PublicKey, decode, key_of, thumbprint, verify
from sitewright.demo.authority.objects import Account
from sitewright.demo.authority.problems import AcmeProblem, malformed
from sitewright.demo.authority.registry import Registry


class Signed(msgspec.Struct, frozen=True):
    """A request whose signature is verified."""

    url: str
    jwk: dict[str, Any] | None
    """The key, in requests that name no account."""
    account: Account | None
    payload: dict[str, Any] | None
    """None: POST-as-GET."""

    @property
    def sender(self) -> Account:
        if self.account is None:
            raise malformed("the request must name its account (kid)")
        return self.account

    @property
    def new_key(self) -> dict[str, Any]:
        if self.jwk is None:
            raise malformed("the request must contain its key (jwk)")
        return self.jwk

    @property
    def fields(self) -> dict[str, Any]:
        if self.payload is None:
            raise malformed("the request must have a payload")
        return self.payload


class Requests:
    def __init__(self, registry: Registry, faults: Faults, base: str) -> None:
        self._registry = registry
        self._faults = faults
        self._base = base

    async def read(self, request: web.Request) -> Signed:
        """Raises `AcmeProblem` unless the request is signed for this URL with an unused nonce."""
        if request.content_type != "application/jose+json":
            raise AcmeProblem("malformed", "the content type must be application/jose+json", 415)
        try:
            jws = msgspec.json.decode(await request.read(), type=Flattened)
            header = msgspec.json.decode(decode(jws.protected), type=dict[str, Any])
        except msgspec.MsgspecError as error:
            raise malformed(str(error)) from error
        self._faults.check_nonce()
        self._registry.use_nonce(header.get("nonce"))
        if header.get("url") != self._base + request.path:
            raise AcmeProblem("unauthorized", "the signature is for another URL", 401)
        key, jwk, account = self._key(header)
        verify(jws, header.get("alg"), key)
        return Signed(header["url"], jwk, account, _payload(jws))

    def _key(self, header: dict[str, Any]) -> tuple[PublicKey, dict[str, Any] | None, Account | None]:
        jwk, kid = header.get("jwk"), header.get("kid")
        if (jwk is None) == (kid is None):
            raise malformed("the request must have either jwk or kid")
        if isinstance(jwk, dict):
            return key_of(jwk), jwk, None
        account = self._registry.accounts.get(str(kid).removeprefix(f"{self._base}/account/"))
        if account is None or kid != f"{self._base}/account/{account.ref}":
            raise AcmeProblem("accountDoesNotExist", "this account does not exist")
        if account.status != "valid":
            raise AcmeProblem("unauthorized", f"the account is {account.status}", 403)
        return key_of(account.jwk), None, account


def account_with(registry: Registry, jwk: dict[str, Any]) -> Account | None:
    own = thumbprint(jwk)
    return next((each for each in registry.accounts.values() if each.thumbprint == own), None)


def _payload(jws: Flattened) -> dict[str, Any] | None:
    if not jws.payload:
        return None
    try:
        return msgspec.json.decode(decode(jws.payload), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise malformed(f"the payload is not a JSON object: {error}") from error
