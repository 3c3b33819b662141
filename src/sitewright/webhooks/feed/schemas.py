from typing import Annotated, Any

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Text

MAX_SEQUENCE = 2**63 - 1
MAX_WAIT = 60
EXAMPLE = {
    "eventName": "user.created",
    "id": "6f1c3f2c-1f3e-4b6f-9a51-f2a7c0c8d1e2",
    "created": "2026-01-31T12:00:00Z",
    "accountHolder": {"ref": 41},
    "testMode": False,
    "sequence": 42,
}


class FeedQuery(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Which events to read, and how long to wait for one."""

    after: (
        Annotated[
            int, about("Only events after this sequence; without it, from the oldest.", 41, ge=0, le=MAX_SEQUENCE)
        ]
        | None
    ) = None
    types: (
        Annotated[
            str,
            Text(1, 2000),
            about("Names of events and patterns (`user.*`), separated by commas; without it, all.", "user.*,site.*"),
        ]
        | None
    ) = None
    limit: Annotated[int, about("Maximum number of events.", 100, ge=1, le=5000)] = 100
    wait: Annotated[int, about("How many seconds to wait if there is no event yet.", 25, ge=0, le=MAX_WAIT)] = 0
    delivery_failed: Annotated[
        bool,
        about(
            "Only events that at least one subscription missed. Deliveries are given up in another order than that of"
            " their events, so an older one may be added later: read this list from its beginning again.",
            False,
        ),
    ] = False


class Events(msgspec.Struct, frozen=True):
    """The next events of the brand, in order."""

    events: Annotated[
        list[dict[str, Any]],
        about("As webhooks deliver them: see the page of each event. May be empty although more follow.", [EXAMPLE]),
    ]
    next: Annotated[
        str, about("Send it as `after` to read on; no event is missed, unless `deliveryFailed` is set.", "42")
    ]
