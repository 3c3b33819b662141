"""Schemas of the queries of the mail pages."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.mail.listing.service import State
from sitewright.kit.validation import Ref, Text
from sitewright.web.console.lists.console_list import ListQuery


class MailQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which emails to list."""

    recipient: Annotated[str, Text(1, 200), about("The beginning of a customer's name or address.", "ann")] | None = (
        None
    )
    state: Annotated[State, about("Whether it was sent.", "failed")] | None = None
    kind: Annotated[str, Text(1, 100), about("The kind of email.", "welcome")] | None = None
    user: Annotated[Ref, about("The customer's number.", 12)] | None = None
    first: (
        Annotated[str, Text(1, 40), about("The first day it was created or, if failed, given up.", "2026-07-01")] | None
    ) = msgspec.field(name="from", default=None)
    last: Annotated[str, Text(1, 40), about("The last such day.", "2026-07-31")] | None = msgspec.field(
        name="to", default=None
    )


class PreviewQuery(msgspec.Struct, frozen=True):
    """Which email to preview."""

    kind: Annotated[str, Text(1, 100), about("The kind of email.", "welcome")] | None = None
    language: Annotated[str, Text(1, 20), about("The language of the account holder.", "en")] | None = None
