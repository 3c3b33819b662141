"""Replaces some generated values by real refs, credentials and examples, so that requests get past the first check.

How much is replaced varies from nothing to everything, so that some requests fail at the first check, some succeed, and
most are valid except for one or two values. Values that Schemathesis made invalid on purpose stay.
"""

import itertools
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
import schemathesis
from requests.structures import CaseInsensitiveDict
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

from sitewright.web.login.service import form_token
from tests.fuzz.callers import Callers, Case, is_page
from tests.fuzz.customers import Values
from tests.fuzz.examples import examples_of
from tests.fuzz.stock import Stock
from tests.fuzz.tally import Tally

SHARES = (0.0, 0.6, 0.9, 1.0)
LOST = 0.1
"""The share of paths and headers that are left unchanged."""
RENEW_EVERY = 100
ENDINGS = (
    "/users/{userRef}",
    "/sites/{siteRef}",
    "/anonymise",
    "/suspend",
    "/hard-delete",
    "/api-credentials/{credentialRef}",
)
"""Paths of calls that end or change a customer, or its credential, unless they only read."""
MAX_READ = 20_000
REPORT = "GET /user-reports/{job}"
DOWNLOAD = f"{REPORT}/download"
ATTEMPTS = "GET /webhooks/subscription/{subscriptionId}/attempts"
REPLAY = "POST /webhooks/subscription/{subscriptionId}/attempts/{attemptId}/replay"


class Steering:
    """Two hooks of Schemathesis, called around every request it sends."""

    def __init__(self, stock: Stock, callers: Callers, document: Values, tally: Tally, chance: random.Random) -> None:
        self._stock, self._callers, self._tally, self._chance = stock, callers, tally, chance
        self._examples = examples_of(document)
        self._numbers = itertools.count(1)
        self._returned: set[Any] = set()
        self._followed: dict[str, Values] = {}
        """By operation: values that are only known from responses."""

    def before_call(self, _: schemathesis.HookContext, case: Case, kwargs: dict[str, Any]) -> None:
        number = next(self._numbers)
        if number % RENEW_EVERY == 0:
            self._stock.renew()
        customer = self._stock.pick(self._chance) | self._followed.get(case.operation.label, {})
        examples, fresh = self._examples[case.operation.label], self._fresh(number)
        known = customer | fresh if self._chance.random() < 0.5 else fresh | customer
        if is_page(case):
            known["token"] = form_token(customer["session"])
        whole, share = float(self._chance.random() > LOST), self._chance.choice(SHARES)
        self._replace(case, ParameterLocation.PATH, examples | customer, whole)
        self._replace(case, ParameterLocation.HEADER, examples | known, whole)
        self._replace(case, ParameterLocation.QUERY, examples | known, share)
        self._replace(case, ParameterLocation.BODY, examples | known, share)
        self._callers.present(case, customer, kwargs)

    def after_call(self, _: schemathesis.HookContext, case: Case, response: schemathesis.Response) -> None:
        meta = case.meta
        kinds = [] if meta is None else [meta.phase.name.value, meta.generation.mode.value]
        self._tally.count(case.operation.label, response.status_code, *kinds, _scheme_of(response.request))
        if response.status_code >= 300:
            return
        if case.method in ("DELETE", "POST") and case.path.endswith(ENDINGS):
            self._stock.replace_customer_of(case.path_parameters)
        if "application/json" in response.headers.get("content-type", []) and len(response.content) < MAX_READ:
            body = response.json()
            self._returned.update(_refs_in(body))
            self._followed |= _parameters_of_following_requests(case, body)

    def _fresh(self, number: int) -> Values:
        """Values that must be new each time, or are better chosen than generated."""
        return {
            "X-Api-Version": f"7.{self._chance.choice([106, 106, self._chance.randint(1, 106)])}",
            "X-Brand-Ref": "1",
            "Idempotency-Key": f"fuzz-{number}",
            "username": f"fuzz-{number}",
            "email": f"fuzz-{number}@mail.example",
            "domain": f"fuzz-{number}.example",
            "domainName": f"fuzz-{number}.com",
            "subdomain": f"fuzz-{number}",
            "pageUrl": f"fuzz-{number}",
            "name": f"fuzz-{number}",
        }

    def _replace(self, case: Case, location: ParameterLocation, known: Values, share: float) -> None:
        """Refs from a link of the state machine are left unchanged."""
        generated = case.get_container(location)
        if not isinstance(generated, dict | CaseInsensitiveDict) or _is_wrong(case, location):
            return
        changed = generated.copy()
        for name, value in generated.items():
            brought = _is_chain(case) and isinstance(value, int | str) and value in self._returned
            if name in known and not brought and self._chance.random() < share:
                changed[name] = known[name]
        if "domain" in changed and self._chance.random() < share:
            changed.pop("subdomain", None)  # a new site has one of both
        setattr(case, location.container_name, changed)


def _is_chain(case: Case) -> bool:
    return case.meta is not None and case.meta.phase.name == TestPhase.STATEFUL


def _is_wrong(case: Case, location: ParameterLocation) -> bool:
    """Whether Schemathesis made it invalid on purpose."""
    generated = None if case.meta is None else case.meta.components.get(location)
    return generated is not None and generated.mode.is_negative


def _scheme_of(sent: requests.PreparedRequest) -> str:
    """The signer returns bytes where others return text."""
    shown: str | bytes = sent.headers.get("Authorization", "session" if "Cookie" in sent.headers else "nobody")
    text = shown if isinstance(shown, str) else shown.decode()
    return text.partition(" ")[0]


def _parameters_of_following_requests(case: Case, body: Any) -> dict[str, Values]:
    """Parameters for later requests, taken from this response: a finished report's file, or an attempt to replay."""
    if case.operation.label == REPORT and "report" in body:
        return {DOWNLOAD: case.path_parameters | dict(parse_qsl(urlsplit(body["report"]).query))}
    if case.operation.label == ATTEMPTS and body["attempts"]:
        return {REPLAY: case.path_parameters | {"attemptId": body["attempts"][0]["id"]}}
    return {}


def _refs_in(value: Any) -> Iterator[int]:
    if isinstance(value, list):
        for each in value:
            yield from _refs_in(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in ("ref", "id") and isinstance(each, int):
                yield each
            else:
                yield from _refs_in(each)
