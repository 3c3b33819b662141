"""Signed links to finished reports: any client that has one may download the file until the link expires.

Each report has its own key, which is deleted with it; links stay valid when the master key changes.
"""

import hmac
from datetime import datetime
from urllib.parse import urlencode

from sitewright.kit.origin import Origin, service_url
from sitewright.settings import Settings


def link_to(job: str, key: bytes, ends: datetime, settings: Settings, origin: Origin) -> str:
    expires = str(int(ends.timestamp()))
    query = urlencode({"expires": expires, "signature": _signature(job, key, expires)})
    return f"{service_url(settings, origin)}/user-reports/{job}/download?{query}"


def is_signed(job: str, key: bytes, expires: str, signature: str) -> bool:
    return hmac.compare_digest(_signature(job, key, expires).encode(), signature.encode())


def _signature(job: str, key: bytes, expires: str) -> str:
    return hmac.digest(key, f"{job}\n{expires}".encode(), "sha256").hex()
