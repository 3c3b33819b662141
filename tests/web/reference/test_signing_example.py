"""The worked example of request signing is right: an independent library signs the same request alike."""

import html

import httpx
import pytest
from oauthlib.oauth1 import Client
from oauthlib.oauth1.rfc5849.signature import base_string_uri, normalize_parameters, signature_base_string

from sitewright.web.reference.signing import NONCE, SECRETS, TIMESTAMP, URL, signing_steps


@pytest.mark.parametrize("algorithm", ["HMAC-SHA256", "HMAC-SHA1"])
def test_oauthlib_signs_it_alike(algorithm: str) -> None:
    client = Client(*SECRETS.values(), signature_method=algorithm, nonce=NONCE, timestamp=TIMESTAMP)
    _, headers, _ = client.sign(URL, "GET")
    own = signing_steps(algorithm)
    assert sorted(headers["Authorization"][6:].split(", ")) == sorted(own.authorization[6:].split(", "))


def test_every_step_is_that_of_oauthlib() -> None:
    steps = signing_steps()
    assert steps.normalized == normalize_parameters(steps.parameters)
    assert steps.base_uri == base_string_uri(steps.url)
    assert steps.base_string == signature_base_string(steps.method, steps.base_uri, steps.normalized)


async def test_the_page_shows_every_step(anonymous: httpx.AsyncClient) -> None:
    page = html.unescape((await anonymous.get("/docs/signing")).text)
    steps = signing_steps()
    shown = (steps.normalized, steps.base_string, steps.key, steps.signature, steps.authorization, *SECRETS.values())
    assert [each for each in shown if each not in page] == []
