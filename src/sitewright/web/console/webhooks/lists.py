"""The lists of subscriptions and of attempts."""

from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import EVENTS, WEBHOOKS
from sitewright.web.console.lists.columns import NOTHING, Cell, Column, Filter, Tone
from sitewright.web.console.lists.console_list import ConsoleList
from sitewright.web.console.lists.periods import period_of
from sitewright.web.console.webhooks.schemas import AttemptQuery, SubscriptionQuery
from sitewright.webhooks.listing import service
from sitewright.webhooks.listing.service import (
    AttemptFilter,
    ListedAttempt,
    Outcome,
    State,
    SubscriptionRow,
    state_of,
)

ATTEMPTS = f"{WEBHOOKS}/attempts"
STATE_TONES: dict[State, Tone] = {"active": "good", "failed": "bad", "inactive": "neutral"}
OUTCOME_TONES: dict[Outcome, Tone] = {"delivered": "good", "retrying": "warn", "dead": "bad", "gone": "bad"}


async def read_subscriptions(tx: Transaction, query: SubscriptionQuery, page: PageRequest) -> Page[SubscriptionRow]:
    return await service.list_subscriptions(tx, query.state, page)


async def read_attempts(tx: Transaction, query: AttemptQuery, page: PageRequest) -> Page[ListedAttempt]:
    since, until = period_of(query.first, query.last, (await brands.settings_of_brand(tx)).time_zone)
    wanted = AttemptFilter(
        subscription_ref=query.subscription,
        sequence=query.event,
        state=query.state,
        since=since,
        until=until,
    )
    return await service.list_attempts(tx, wanted, page)


async def _rights(request: ConsoleRequest) -> dict[str, bool]:
    return {"may_change": request.may(Right.CHANGE)}


def _url(row: SubscriptionRow, _messages: Messages) -> Cell:
    return Cell(text=row.url, href=f"{WEBHOOKS}/{row.ref}")


def _state(row: SubscriptionRow, messages: Messages) -> Cell:
    state = state_of(row)
    return Cell(text=messages(f"webhooks_state_{state}"), tone=STATE_TONES[state])


def _last(row: SubscriptionRow, messages: Messages) -> Cell:
    if row.last_at is None or row.last_outcome is None:
        return Cell(text=NOTHING)
    return Cell(text=messages.time(row.last_at), note=messages(f"attempts_outcome_{row.last_outcome}"))


def outcome_cell(row: ListedAttempt, messages: Messages) -> Cell:
    return Cell(
        text=messages(f"attempts_outcome_{row.outcome}"),
        tone=OUTCOME_TONES[row.outcome],
        note=row.error or (None if row.status is None else str(row.status)),
    )


def _attempt(row: ListedAttempt, messages: Messages) -> Cell:
    return Cell(text=messages("attempts_number", ref=row.ref), href=f"{ATTEMPTS}/{row.ref}")


def _event(row: ListedAttempt, messages: Messages) -> Cell:
    text = messages("attempts_event_number", kind=row.event, ref=row.sequence)
    return Cell(text=text, href=f"{EVENTS}/{row.sequence}")


SUBSCRIPTIONS = ConsoleList(
    path=WEBHOOKS,
    prefix="webhooks",
    name="Webhooks",
    summary="The webhook subscriptions of the brand.",
    query=SubscriptionQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="url", value=lambda row: row.url, show=_url),
        Column(name="event", value=lambda row: row.event, only_in="file"),
        Column(name="state", value=state_of, show=_state),
        Column(name="failing_since", value=lambda row: row.failing_since),
        Column(name="waiting", value=lambda row: row.waiting, is_number=True),
        Column(name="dead", value=lambda row: row.dead, is_number=True),
        Column(name="last", value=lambda row: row.last_at, show=_last),
    ),
    filters=(Filter(name="state", choices=("active", "failed", "inactive")),),
    read=read_subscriptions,
    template="webhooks.html",
    more=_rights,
)
ATTEMPT_LIST = ConsoleList(
    path=ATTEMPTS,
    prefix="attempts",
    name="WebhookAttempts",
    summary="The attempts to deliver events of the brand.",
    query=AttemptQuery,
    columns=(
        Column(name="ref", value=lambda row: row.ref, show=_attempt, is_sortable=True),
        Column(name="at", value=lambda row: row.at),
        Column(name="event", value=lambda row: row.sequence, show=_event),
        Column(name="url", value=lambda row: row.url),
        Column(name="outcome", value=lambda row: row.outcome, show=outcome_cell),
        Column(name="status", value=lambda row: row.status, only_in="file"),
        Column(name="error", value=lambda row: row.error, only_in="file"),
        Column(name="milliseconds", value=lambda row: row.milliseconds, is_number=True),
        Column(name="subscription", value=lambda row: row.subscription_ref, only_in="file"),
    ),
    filters=(
        Filter(name="state", choices=("failed", "givenUp", "delivered")),
        Filter(name="subscription", kind="text"),
        Filter(name="event", kind="text"),
        Filter(name="from", kind="day"),
        Filter(name="to", kind="day"),
    ),
    read=read_attempts,
    template="attempts.html",
)
