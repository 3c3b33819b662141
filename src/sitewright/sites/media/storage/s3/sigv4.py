"""Signatures of requests to S3 (AWS Signature Version 4), for which botocore would add 31 MB; tests compare the two."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from datetime import datetime
from urllib.parse import quote

import msgspec

ALGORITHM = "AWS4-HMAC-SHA256"
EMPTY_PAYLOAD = hashlib.sha256(b"").hexdigest()


class Credentials(msgspec.Struct, frozen=True):
    access_key_id: str
    secret_access_key: str
    region: str

    def __repr__(self) -> str:
        """Neither key may reach a log."""
        return f"Credentials(region={self.region!r})"


def quote_path(path: str) -> str:
    """Quote a path as S3 does in signatures: once, and everything but unreserved characters and slashes."""
    return quote(path, safe="/~")


def quote_query(parameters: Iterable[tuple[str, str]]) -> str:
    """Quote and sort a query as signatures have it."""
    quoted = sorted((quote(name, safe="~"), quote(value, safe="~")) for name, value in parameters)
    return "&".join(f"{name}={value}" for name, value in quoted)


def sign(
    method: str,
    host: str,
    quoted_path: str,
    quoted_query: str,
    headers: Mapping[str, str],
    payload_hash: str,
    credentials: Credentials,
    at: datetime,
) -> dict[str, str]:
    """Return `headers` with those that authenticate the request; `host` is added by the client as it is sent.

    `payload_hash` is the SHA-256 of the body in hexadecimal digits, or `UNSIGNED-PAYLOAD`.
    """
    time = at.strftime("%Y%m%dT%H%M%SZ")
    added = {"x-amz-date": time, "x-amz-content-sha256": payload_hash}
    lowered = {name.lower(): " ".join(value.split()) for name, value in {**headers, **added, "host": host}.items()}
    names = ";".join(sorted(lowered))
    lines = "".join(f"{name}:{lowered[name]}\n" for name in sorted(lowered))
    canonical = "\n".join([method, quoted_path, quoted_query, lines, names, payload_hash])
    scope = f"{time[:8]}/{credentials.region}/s3/aws4_request"
    text = "\n".join([ALGORITHM, time, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signature = hmac.new(_signing_key(credentials, time[:8]), text.encode(), hashlib.sha256).hexdigest()
    authorization = (
        f"{ALGORITHM} Credential={credentials.access_key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return {**headers, **added, "authorization": authorization}


def _signing_key(credentials: Credentials, day: str) -> bytes:
    key = b"AWS4" + credentials.secret_access_key.encode()
    for text in (day, credentials.region, "s3", "aws4_request"):
        key = hmac.new(key, text.encode(), hashlib.sha256).digest()
    return key
