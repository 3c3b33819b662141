from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.events.names import EventPattern
from sitewright.kit.http.about import about
from sitewright.kit.paging import Cursor, Limit, Offset
from sitewright.kit.timestamps import AT, TS
from sitewright.webhooks.deliveries.classification import Outcome

URL = "https://hooks.example.com/sitewright"
WEBHOOK_ID = "msg_6f1c3f2c1f3e4b6f9a51f2a7c0c8d1e2_3"
EVENT_ID = "6f1c3f2c-1f3e-4b6f-9a51-f2a7c0c8d1e2"


class Subscription(msgspec.Struct, frozen=True):
    """A subscription to an event."""

    id: Annotated[int, about("The subscription's number.", 3)]
    event: Annotated[EventPattern, about("The event, or a pattern: `site.*`, `*`.", "site.publish")]
    url: Annotated[str, about("The URL that the event is posted to.", URL)]
    active: Annotated[bool, about("Whether events are delivered.", True)]


class Subscriptions(msgspec.Struct, frozen=True):
    """The subscriptions of a brand."""

    subscriptions: Annotated[
        list[Subscription],
        about(
            "First created first, inactive ones among them.",
            [{"id": 3, "event": "site.publish", "url": URL, "active": True}],
        ),
    ]


class SubscriptionRequest(msgspec.Struct, frozen=True):
    """The fields of a subscription; all are required."""

    event: Annotated[
        EventPattern, about("The event, all events about one kind of object (`site.*`), or all (`*`).", "site.publish")
    ]
    url: Annotated[
        str,
        about(
            "An absolute http or https URL without user name or password, whose host has a public address.",
            URL,
            min_length=1,
            max_length=2000,
        ),
    ]
    active: Annotated[bool, about("Whether events are to be delivered.", True)]


class AttemptFilter(msgspec.Struct, frozen=True, rename="camel"):
    """The page of the list."""

    limit: Limit = 20
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None


class Attempt(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One attempt to deliver an event to a subscription."""

    id: Annotated[int, about("The attempt's number.", 17)]
    webhook_id: Annotated[str, about("The `webhook-id` it was sent with.", WEBHOOK_ID)]
    event_id: Annotated[str, about("The event's id.", EVENT_ID)]
    event: Annotated[str, about("The event.", "site.publish")]
    sequence: Annotated[int, about("The event's place in the brand's log.", 42)]
    number: Annotated[int, about("Which attempt of the delivery it was; a replay starts again at 1.", 1)]
    at: Annotated[TS, about("When its outcome was known.", AT)]
    outcome: Annotated[
        Outcome,
        about(
            "`delivered`; `retrying`: another attempt follows; `dead`: it was the last; `gone`: the receiver returned"
            " 410, and the subscription is inactive.",
            "delivered",
        ),
    ]
    status: Annotated[int | None, about("The response's status; null without a response.", 200)]
    milliseconds: Annotated[int, about("How long it took.", 87)]
    answer: Annotated[str | None, about("The first KiB of the response's body.", "ok")]
    error: Annotated[str | None, about("Why there was no response.", None)]
    next_attempt: Annotated[TS | None, about("When the next attempt was to follow.", None)]


class Attempts(msgspec.Struct, frozen=True):
    """A page of attempts."""

    attempts: Annotated[list[Attempt], about("First made first.", [{"id": 17}])]


class Replay(msgspec.Struct, frozen=True, rename="camel"):
    """A delivery that is replayed."""

    webhook_id: Annotated[str, about("The `webhook-id` it is sent with, the same as before.", WEBHOOK_ID)]
    event_id: Annotated[str, about("The event's id.", EVENT_ID)]
    sequence: Annotated[int, about("The event's place in the brand's log.", 42)]


class EventDocument(msgspec.Struct, frozen=True, rename="camel"):
    """One event. The fields after `created` depend on its kind: see the page of each event."""

    event_name: Annotated[str, about("Its kind.", "user.created")]
    id: Annotated[str, about("Its id.", EVENT_ID)]
    created: Annotated[str, about("When it happened, in UTC.", "2026-01-31T12:00:00Z")]
    sequence: Annotated[int, about("Its place in the brand's log, which rises by one.", 42)]
    test_mode: (
        Annotated[bool, about("Whether the brand is a test brand. Events from before version 0.3.0 lack it.", False)]
        | UnsetType
    ) = UNSET
