"""Schemas of the queries and forms of the webhook pages."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref, Text
from sitewright.web.console.frame.page_routes import Form
from sitewright.web.console.lists.console_list import ListQuery
from sitewright.webhooks.listing.service import AttemptState, State
from sitewright.webhooks.schemas import URL


class SubscriptionQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which subscriptions to list."""

    state: Annotated[State, about("`failed`: its last attempt or an event failed.", "failed")] | None = None


class AttemptQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which attempts to list."""

    subscription: Annotated[Ref, about("The subscription's id.", 3)] | None = None
    event: Annotated[Ref, about("The event's number.", 42)] | None = None
    state: (
        Annotated[AttemptState, about("`givenUp`: the last attempt of a delivery that was given up.", "failed")] | None
    ) = None
    first: Annotated[str, Text(1, 40), about("The first day.", "2026-07-01")] | None = msgspec.field(
        name="from", default=None
    )
    last: Annotated[str, Text(1, 40), about("The last day.", "2026-07-31")] | None = msgspec.field(
        name="to", default=None
    )


class SubscriptionForm(Form, frozen=True, kw_only=True):
    """A subscription."""

    url: Annotated[str, Text(1, 2000), about("Where events are posted to.", URL)]
    active: Annotated[bool, about("Whether events are delivered; left out: no.", True)] = False
