"""Signatures are those of oauthlib, and a nonce is used once."""

import pytest
from oauthlib.oauth1 import Client as OAuthlib

from sitewright_client import OAuth1

URLS = [
    "http://127.0.0.1:8080/users",
    "HTTPS://API.Example.com:443/users?limit=2&search=ann%20exam&search=%C3%A9%2B",
    "https://api.example.com/sites/1/global-values/a%20b%2Fc?x=&y=~-._",
    "http://[::1]:8080/v2/templates?templateGroupRefs=1%2C2",
]


@pytest.mark.parametrize("method", ["HMAC-SHA1", "HMAC-SHA256"])
@pytest.mark.parametrize("url", URLS)
def test_the_signature_is_that_of_oauthlib(url: str, method: str) -> None:
    secrets = ("key", "c&secret", "token", "a secret/é")
    auth = OAuth1(*secrets, signature_method="HMAC-SHA1" if method == "HMAC-SHA1" else "HMAC-SHA256")
    header = auth.authorization("GET", url)
    sent = dict(part.split("=", 1) for part in header.removeprefix("OAuth ").replace('"', "").split(", "))
    signer = OAuthlib(*secrets, signature_method=method, nonce=sent["oauth_nonce"], timestamp=sent["oauth_timestamp"])
    _, headers, _ = signer.sign(url, "GET")
    assert f'oauth_signature="{sent["oauth_signature"]}"' in headers["Authorization"]


def test_every_attempt_has_a_nonce_of_its_own() -> None:
    auth = OAuth1("key", "secret", "token", "secret")
    headers = {auth.authorization("GET", URLS[0]).partition("oauth_nonce=")[2][:34] for _ in range(100)}
    assert len(headers) == 100
