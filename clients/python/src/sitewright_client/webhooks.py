"""Verification of webhook deliveries (Standard Webhooks)."""

import base64
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sitewright_client.errors import WebhookRejected

_TOLERANCE = 300
_TIMESTAMP = re.compile(r"[0-9]{1,15}")


def verify_webhook(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = _TOLERANCE,
    now: float | None = None,
) -> dict[str, Any]:
    """The event of an authentic delivery; WebhookRejected for any other. ValueError if a secret of yours is none.

    `body` is the request's body as it arrived. Names of `headers` are in any letter case. While a secret is being
    replaced, give both. `webhook-id` stays the same when a delivery is repeated: use it to handle an event once.
    """
    keys = [_key_of(each) for each in ([secret] if isinstance(secret, str) else secret)]
    named = {name.lower(): value for name, value in headers.items()}
    try:
        delivery, timestamp, signatures = (named[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise WebhookRejected("the headers webhook-id, webhook-timestamp or webhook-signature are missing") from error
    if _TIMESTAMP.fullmatch(timestamp) is None:
        raise WebhookRejected("webhook-timestamp is not a number of seconds")
    age = (time.time() if now is None else now) - int(timestamp)
    if abs(age) > tolerance:
        raise WebhookRejected(f"the delivery is {age:.0f} seconds old; {tolerance:.0f} are allowed")
    signed = b".".join((delivery.encode(), timestamp.encode(), body))
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in keys]
    if not any(hmac.compare_digest(own, sent.encode()) for own in expected for sent in signatures.split()):
        raise WebhookRejected("the signature does not belong to this body and secret")
    event: dict[str, Any] = json.loads(body)
    return event


def _key_of(secret: str) -> bytes:
    """An empty key would accept deliveries that anyone signed."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("this is no secret of a webhook: it begins with whsec_, and base64 follows")
    return key
