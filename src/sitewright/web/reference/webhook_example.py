"""The worked example of a webhook delivery, signed by the code that signs real ones."""

from datetime import UTC, datetime
from uuid import UUID

import msgspec

from sitewright.webhooks import service as webhooks

SECRET = "whsec_c2l0ZXdyaWdodC1leGFtcGxlLXNlY3JldC0zMmJ5dGU="  # noqa: S105 - made up, and shown to every reader
AT = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
EVENT_ID = UUID("6f1c3f2c-1f3e-4b6f-9a51-f2a7c0c8d1e2")
BODY = (
    f'{{"eventName":"site.publish","id":"{EVENT_ID}","created":"2026-01-31T12:00:00+00:00",'
    '"site":{"ref":5,"primaryUrl":"https://www.example.com"},"brand":{"ref":1,"name":"Example"},'
    '"versionRef":7,"testMode":false,"sequence":42}'
)


class WebhookExample(msgspec.Struct, frozen=True, kw_only=True):
    secret: str
    headers: dict[str, str]
    """Names in lower case."""
    body: str

    @property
    def delivery(self) -> str:
        lines = [f"{name}: {value}" for name, value in self.headers.items()]
        return "\n".join(["POST /sitewright", *lines, "", self.body])


def webhook_example() -> WebhookExample:
    headers = webhooks.example_headers(SECRET, EVENT_ID, AT, BODY.encode())
    return WebhookExample(secret=SECRET, headers={name.lower(): each for name, each in headers.items()}, body=BODY)
