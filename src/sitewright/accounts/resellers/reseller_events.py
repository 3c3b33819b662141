"""Events about resellers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sitewright.events import service as events
from sitewright.events.kinds import EventBody, EventKind
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about


class ResellerBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """What happened to a reseller."""

    reseller_ref: Annotated[int, about("The reseller's number.", 7)]


class ResellerUpdatedBody(ResellerBody, frozen=True, kw_only=True, rename="camel"):
    """A change of a reseller."""

    fields: Annotated[
        list[str], about("The fields that changed, by the names of `PUT /resellers/:resellerRef`.", ["enabled"])
    ]


RESELLER_CREATED = EventKind(name="reseller.created", summary="A reseller was created.", body=ResellerBody)
RESELLER_UPDATED = EventKind(name="reseller.updated", summary="A reseller changed.", body=ResellerUpdatedBody)
RESELLER_DELETED = EventKind(
    name="reseller.deleted", summary="A reseller was deleted; its users stay with the brand.", body=ResellerBody
)
KINDS = (RESELLER_CREATED, RESELLER_UPDATED, RESELLER_DELETED)


async def emit(tx: Transaction, kind: EventKind, reseller_ref: int, at: datetime) -> None:
    await events.emit_many(tx, [kind.event(ResellerBody(reseller_ref=reseller_ref), at)])


async def emit_updated(tx: Transaction, reseller_ref: int, fields: Sequence[str], at: datetime) -> None:
    """Nothing where no field changed."""
    if fields:
        body = ResellerUpdatedBody(reseller_ref=reseller_ref, fields=list(fields))
        await events.emit_many(tx, [RESELLER_UPDATED.event(body, at)])
