"""Deliveries are verified as the service signs them."""

import base64

import pytest

from sitewright.web.reference.webhook_example import AT, BODY, SECRET, webhook_example
from sitewright_client import WebhookRejected, verify_webhook

NOW = AT.timestamp()
OTHER_SECRET = "whsec_" + base64.b64encode(b"another secret of the same size!").decode()


def test_a_delivery_of_the_service() -> None:
    shown = webhook_example()
    event = verify_webhook(shown.secret, shown.headers, shown.body.encode(), now=NOW)
    assert (event["eventName"], event["sequence"]) == ("site.publish", 42)


def test_headers_in_any_letter_case_and_a_secret_that_is_being_replaced() -> None:
    shown = webhook_example()
    headers = {name.title(): value for name, value in shown.headers.items()}
    assert verify_webhook([OTHER_SECRET, SECRET], headers, shown.body.encode(), now=NOW + 299)


@pytest.mark.parametrize(
    ("secret", "body", "now", "without"),
    [
        (OTHER_SECRET, BODY, NOW, None),
        (SECRET, BODY + " ", NOW, None),
        (SECRET, BODY, NOW + 301, None),
        (SECRET, BODY, NOW - 301, None),
        (SECRET, BODY, NOW, "webhook-signature"),
        (SECRET, BODY, NOW, "webhook-timestamp"),
    ],
)
def test_anything_else_is_rejected(secret: str, body: str, now: float, without: str | None) -> None:
    headers = {name: value for name, value in webhook_example().headers.items() if name != without}
    with pytest.raises(WebhookRejected):
        verify_webhook(secret, headers, body.encode(), now=now)


def test_a_signature_that_is_not_ascii_is_rejected() -> None:
    shown = webhook_example()
    with pytest.raises(WebhookRejected):
        verify_webhook(SECRET, shown.headers | {"webhook-signature": "v1,é"}, shown.body.encode(), now=NOW)


@pytest.mark.parametrize("timestamp", ["9" * 400, "-1", "1e9", "soon", ""])
def test_a_timestamp_that_is_none_is_rejected(timestamp: str) -> None:
    shown = webhook_example()
    with pytest.raises(WebhookRejected, match="webhook-timestamp"):
        verify_webhook(SECRET, shown.headers | {"webhook-timestamp": timestamp}, shown.body.encode(), now=NOW)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!!!!", "whsec_A", ["whsec_"], [SECRET, ""]])
def test_a_secret_that_is_none_accepts_nothing(secret: str | list[str]) -> None:
    shown = webhook_example()
    with pytest.raises(ValueError, match="no secret of a webhook"):
        verify_webhook(secret, shown.headers, shown.body.encode(), now=NOW)
