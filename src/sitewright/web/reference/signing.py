"""The worked example of request signing; every number on the page comes from the service's own code."""

from urllib.parse import parse_qsl, quote, unquote, urlsplit

import msgspec

from sitewright.kit.auth.oauth1 import SignedParts, read_claim, signature_of, signing_key

METHOD = "GET"
URL = "https://api.example.com/users?limit=2&email=ann%2Btest%40mail.example"
SECRETS = {
    "consumerKey": "k1p9Xw2eQ7",
    "consumerSecret": "s3Vd8&hN5=tB",
    "accessToken": "t6Rz4Yc0Lm",
    "accessSecret": "a2Jf7/gU9+oW",
}
"""Made up; two secrets have characters that must be encoded."""
TIMESTAMP = "1790000000"
NONCE = "7d8f3e4a1b2c"


class SigningSteps(msgspec.Struct, frozen=True, kw_only=True):
    secrets: dict[str, str]
    method: str
    url: str
    parameters: list[tuple[str, str]]
    """Those of the query and of OAuth, decoded, in no particular order."""
    normalized: str
    base_uri: str
    base_string: str
    key: str
    signature: str
    authorization: str


def signing_steps(algorithm: str = "HMAC-SHA256") -> SigningSteps:
    parts = urlsplit(URL)
    oauth = {
        "oauth_consumer_key": SECRETS["consumerKey"],
        "oauth_token": SECRETS["accessToken"],
        "oauth_signature_method": algorithm,
        "oauth_timestamp": TIMESTAMP,
        "oauth_nonce": NONCE,
        "oauth_version": "1.0",
    }
    claim = read_claim(
        SignedParts(
            method=METHOD,
            scheme=parts.scheme,
            host=parts.netloc,
            path=parts.path,
            query=parts.query,
            authorization=_header(oauth | {"oauth_signature": "x"}),
            form=None,
        )
    )
    signature = signature_of(claim, SECRETS["consumerSecret"], SECRETS["accessSecret"]).decode()
    _, base_uri, normalized = claim.base_string.decode().split("&")
    return SigningSteps(
        secrets=SECRETS,
        method=METHOD,
        url=URL,
        parameters=[*parse_qsl(parts.query), *oauth.items()],
        normalized=unquote(normalized),
        base_uri=unquote(base_uri),
        base_string=claim.base_string.decode(),
        key=signing_key(SECRETS["consumerSecret"], SECRETS["accessSecret"]),
        signature=signature,
        authorization=_header(oauth | {"oauth_signature": signature}),
    )


def _header(parameters: dict[str, str]) -> str:
    return "OAuth " + ", ".join(f'{name}="{quote(value, safe="~")}"' for name, value in parameters.items())
