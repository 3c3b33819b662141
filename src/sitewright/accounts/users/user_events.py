"""Events about account holders. They name no values, which are personal data."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sitewright.events import service as events
from sitewright.events.kinds import AccountHolderRef, Event, EventBody, EventKind, HolderField
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about


class UserBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """What happened to an account holder."""

    account_holder: HolderField


class UserCreatedBody(UserBody, frozen=True, kw_only=True, rename="camel"):
    """A new account holder."""

    reseller_ref: Annotated[int | None, about("The reseller that the account holder belongs to.", None)]


class UserUpdatedBody(UserBody, frozen=True, kw_only=True, rename="camel"):
    """A change of an account holder."""

    fields: Annotated[
        list[str],
        about(
            "The fields that changed, by the names of `PUT /users/:userRef`, and `emailVerified`.",
            ["email", "emailVerified"],
        ),
    ]


def _kind(name: str, summary: str, body: type[UserBody] = UserBody) -> EventKind:
    return EventKind(name=f"user.{name}", summary=summary, body=body)


USER_CREATED = _kind("created", "An account holder was created.", UserCreatedBody)
USER_UPDATED = _kind("updated", "Details of an account holder changed.", UserUpdatedBody)
USER_DELETED = _kind("deleted", "An account holder was deleted, and can be restored.")
USER_RESTORED = _kind("restored", "A deleted account holder was restored.")
USER_SUSPENDED = _kind("suspended", "An account holder was suspended: no log-in, and the sites are offline.")
USER_UNSUSPENDED = _kind("unsuspended", "The suspension of an account holder ended.")
USER_ANONYMISED = _kind("anonymised", "The personal data of an account holder was erased.")
USER_LOGGED_IN = _kind("loggedIn", "An account holder logged in.")
KINDS = (
    USER_CREATED,
    USER_UPDATED,
    USER_DELETED,
    USER_RESTORED,
    USER_SUSPENDED,
    USER_UNSUSPENDED,
    USER_ANONYMISED,
    USER_LOGGED_IN,
)


async def emit(tx: Transaction, kind: EventKind, user_ref: int, at: datetime) -> None:
    await events.emit_many(tx, [kind.event(UserBody(account_holder=AccountHolderRef(user_ref)), at)])


async def emit_created(
    tx: Transaction, user_ref: int, reseller_ref: int | None, at: datetime, *, after: Sequence[Event]
) -> None:
    """`after`: events of the same transaction that are emitted before it, by the same statement."""
    body = UserCreatedBody(account_holder=AccountHolderRef(user_ref), reseller_ref=reseller_ref)
    await events.emit_many(tx, [*after, USER_CREATED.event(body, at)])


async def emit_updated(tx: Transaction, user_ref: int, fields: Sequence[str], at: datetime) -> None:
    """Nothing where no field changed."""
    if fields:
        body = UserUpdatedBody(account_holder=AccountHolderRef(user_ref), fields=list(fields))
        await events.emit_many(tx, [USER_UPDATED.event(body, at)])
