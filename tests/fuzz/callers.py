"""Who the fuzzer says it is: by OAuth 1.0a, by HTTP Basic, in an account holder's session, or nobody."""

import random
from typing import Any, TypeAlias

import requests
import schemathesis
from requests.auth import AuthBase, HTTPBasicAuth
from requests_oauthlib import OAuth1

from tests.fuzz.furnishing import COOKIE, Values

NOBODY, OVER_HTTPS = 0.02, 0.5
METHODS = ("HMAC-SHA1", "HMAC-SHA256")
FORWARDED = {"X-Forwarded-Proto": "https"}
Case: TypeAlias = schemathesis.Case[Any]


class Signer(AuthBase):
    """Signs as the service sees the request; what oauthlib refuses to sign, like an odd query, goes out with Basic."""

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
    """Those of one brand, told as in demo.json."""

    def __init__(self, brand: Values, chance: random.Random) -> None:
        basic = HTTPBasicAuth(brand["basic"]["username"], brand["basic"]["password"])
        four = [brand["oauth"][name] for name in ("consumerKey", "consumerSecret", "accessToken", "accessSecret")]
        signers = [Signer(OAuth1(*four, signature_method=method), basic) for method in METHODS]
        self._schemes: list[AuthBase] = [basic, basic, *signers]
        self._chance = chance

    def present(self, case: Case, customer: Values, kwargs: dict[str, Any]) -> None:
        if self._chance.random() < NOBODY:
            return
        if is_page(case):
            case.cookies = {**case.cookies, COOKIE: customer["session"]}
            return
        if self._chance.random() < OVER_HTTPS:
            case.headers.update(FORWARDED)
        kwargs["auth"] = self._chance.choice(self._schemes)


def is_page(case: Case) -> bool:
    """For people and monitors: without OAuth or Basic."""
    return bool(case.operation.definition.raw.get("security") == [])
