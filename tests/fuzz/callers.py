"""The fuzzer's credentials: OAuth 1.0a, HTTP Basic, an account holder's session, or none."""

import random
from typing import Any, TypeAlias

import requests
import schemathesis
from requests.auth import AuthBase, HTTPBasicAuth
from requests_oauthlib import OAuth1

from tests.fuzz.customers import COOKIE, Values

NOBODY, OVER_HTTPS = 0.02, 0.5
METHODS = ("HMAC-SHA1", "HMAC-SHA256")
WEIGHTS = (45, 40, 10, 5)
FORWARDED = {"X-Forwarded-Proto": "https"}
Case: TypeAlias = schemathesis.Case[Any]


class Signer(AuthBase):
    """Sign as the service sees the request; what oauthlib refuses to sign, like a malformed query, is sent with
    Basic."""

    def __init__(self, signer: OAuth1, otherwise: HTTPBasicAuth) -> None:
        self._signer, self._otherwise = signer, otherwise

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        url = request.url or ""
        if request.headers.get("X-Forwarded-Proto") == "https":
            request.url = url.replace("http:", "https:", 1)
        try:
            self._signer(request)
        except ValueError:
            self._otherwise(request)
        request.url = url
        return request


class Callers:
    """The operator of one brand, as in demo.json, the credentials and resellers of the stock, and the system-owner."""

    def __init__(self, brand: Values, system_owner: Values, chance: random.Random) -> None:
        self._basic, self._system_owner = _basic(brand["basic"]), _basic(system_owner)
        self._chance = chance

    def present(self, case: Case, customer: Values, kwargs: dict[str, Any]) -> None:
        if self._chance.random() < NOBODY:
            return
        if is_page(case):
            case.cookies = {**case.cookies, COOKIE: customer["session"]}
            return
        if self._chance.random() < OVER_HTTPS:
            case.headers.update(FORWARDED)
        kwargs["auth"] = self._choose(customer)

    def _choose(self, customer: Values) -> AuthBase:
        match self._chance.choices(["basic", "oauth", "reseller", "system owner"], WEIGHTS)[0]:
            case "oauth":
                return self._signer(customer["oauth"])
            case "reseller":
                return self._signer(customer["reseller"])
            case "system owner":
                return self._system_owner
        return self._basic

    def _signer(self, oauth_credentials: Values) -> AuthBase:
        values = [oauth_credentials[name] for name in ("consumerKey", "consumerSecret", "accessToken", "accessSecret")]
        return Signer(OAuth1(*values, signature_method=self._chance.choice(METHODS)), self._basic)


def _basic(credentials: Values) -> HTTPBasicAuth:
    return HTTPBasicAuth(credentials["username"], credentials["password"])


def is_page(case: Case) -> bool:
    """Pages and probes, which use neither OAuth nor Basic."""
    return bool(case.operation.definition.raw.get("security") == [])
