"""A lean OAuth 1.0a client (RFC 5849, HMAC-SHA256): thousands of requests are signed before the clock starts."""

import base64
import hmac
import secrets
import time
from functools import partial
from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

_escape = partial(quote, safe="~")


class Credentials(msgspec.Struct, frozen=True, rename="camel"):
    consumer_key: str
    consumer_secret: str
    access_token: str
    access_secret: str


def authorization(credentials: Credentials, method: str, url: str) -> str:
    """The Authorization header of one request; each has its own nonce."""
    parts = urlsplit(url)
    oauth = {
        "oauth_consumer_key": credentials.consumer_key,
        "oauth_token": credentials.access_token,
        "oauth_signature_method": "HMAC-SHA256",
        "oauth_timestamp": str(int(time.time())),
        "oauth_nonce": secrets.token_hex(16),
        "oauth_version": "1.0",
    }
    signed = [*oauth.items(), *parse_qsl(parts.query, keep_blank_values=True)]
    base_string = _base_string(method, f"{parts.scheme}://{parts.netloc}{parts.path}", signed)
    oauth["oauth_signature"] = _signature(credentials, base_string)
    return "OAuth " + ", ".join(f'{name}="{_escape(value)}"' for name, value in oauth.items())


def _base_string(method: str, base_uri: str, parameters: list[tuple[str, str]]) -> str:
    pairs = sorted((_escape(name), _escape(value)) for name, value in parameters)
    normalized = "&".join(f"{name}={value}" for name, value in pairs)
    return f"{method}&{_escape(base_uri)}&{_escape(normalized)}"


def _signature(credentials: Credentials, base_string: str) -> str:
    key = f"{_escape(credentials.consumer_secret)}&{_escape(credentials.access_secret)}"
    return base64.b64encode(hmac.digest(key.encode(), base_string.encode(), "sha256")).decode()
