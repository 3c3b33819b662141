"""Headers and signatures of deliveries, according to Standard Webhooks.

https://www.standardwebhooks.com; tests verify this module with the package `standardwebhooks`.
"""

import base64
import hmac
import os
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from sitewright import __version__

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(os.urandom(SECRET_BYTES)).decode()


def webhook_id(event_id: UUID, subscription_ref: int) -> str:
    """Identifies one event for one subscription: the same on every attempt, and unique."""
    return f"msg_{event_id.hex}_{subscription_ref}"


def headers_of(webhook_id: str, at: datetime, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """The headers of one attempt at the real time `at`. Each secret signs: after a rotation there are two."""
    timestamp = str(int(at.timestamp()))
    signed = b".".join((webhook_id.encode(), timestamp.encode(), body))
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Sitewright/{__version__}",
        "webhook-id": webhook_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: str, signed: bytes) -> str:
    digest = _keyed(secret).copy()
    digest.update(signed)
    return "v1," + base64.b64encode(digest.digest()).decode()


@lru_cache(maxsize=1000)
def _keyed(secret: str) -> hmac.HMAC:
    return hmac.new(base64.b64decode(secret.removeprefix(PREFIX)), digestmod="sha256")
