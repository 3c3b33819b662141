"""The two kinds of credentials, each of which writes the Authorization header; `repr` shows no secrets."""

import base64
import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import Literal, Protocol
from urllib.parse import parse_qsl, quote, urlsplit

_DIGESTS = {"HMAC-SHA1": "sha1", "HMAC-SHA256": "sha256"}
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Auth(Protocol):
    def authorization(self, method: str, url: str) -> str:
        """The Authorization header of one attempt; it is called again for each further attempt."""
        ...


@dataclass(frozen=True)
class Basic:
    """HTTP Basic: an operator's user name and password."""

    username: str
    password: str = field(repr=False)

    def authorization(self, method: str, url: str) -> str:  # noqa: ARG002 - the same for every request
        return "Basic " + base64.b64encode(f"{self.username}:{self.password}".encode()).decode()


@dataclass(frozen=True)
class OAuth1:
    """OAuth 1.0a (RFC 5849) with a fixed access token. Every attempt has a timestamp and a nonce of its own."""

    consumer_key: str
    consumer_secret: str = field(repr=False)
    access_token: str
    access_secret: str = field(repr=False)
    signature_method: Literal["HMAC-SHA1", "HMAC-SHA256"] = "HMAC-SHA256"

    def authorization(self, method: str, url: str) -> str:
        oauth = {
            "oauth_consumer_key": self.consumer_key,
            "oauth_token": self.access_token,
            "oauth_signature_method": self.signature_method,
            "oauth_timestamp": str(int(time.time())),
            "oauth_nonce": secrets.token_hex(16),
            "oauth_version": "1.0",
        }
        oauth["oauth_signature"] = self._signature(method, url, oauth)
        return "OAuth " + ", ".join(f'{name}="{_encoded(value)}"' for name, value in oauth.items())

    def _signature(self, method: str, url: str, oauth: dict[str, str]) -> str:
        parameters = [*parse_qsl(urlsplit(url).query, keep_blank_values=True), *oauth.items()]
        pairs = sorted((_encoded(name), _encoded(value)) for name, value in parameters)
        listed = "&".join(f"{name}={value}" for name, value in pairs)
        base_string = "&".join([method.upper(), _encoded(_base_string_uri(url)), _encoded(listed)])
        key = f"{_encoded(self.consumer_secret)}&{_encoded(self.access_secret)}"
        digest = hmac.digest(key.encode(), base_string.encode(), _DIGESTS[self.signature_method])
        return base64.b64encode(digest).decode()


def _base_string_uri(url: str) -> str:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path or '/'}"


def _encoded(text: str) -> str:
    return quote(text, safe="-._~")
