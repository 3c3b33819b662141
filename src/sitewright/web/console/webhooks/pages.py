"""`/console/webhooks`: subscriptions, and what the staff can do with them."""

import json
from typing import Any

from sitewright.events.listing import service as events
from sitewright.events.names import EventPattern
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.keyset import PageRequest
from sitewright.kit.problems import Invalid, Problem
from sitewright.kit.validation import parse, parse_query
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import WEBHOOKS
from sitewright.web.console.frame.rendering import field_errors, render
from sitewright.web.console.lists.columns import cell_of
from sitewright.web.console.webhooks.lists import ATTEMPT_LIST, ATTEMPTS, OUTCOME_TONES, STATE_TONES
from sitewright.web.console.webhooks.schemas import SubscriptionForm
from sitewright.webhooks import service
from sitewright.webhooks.listing import service as listing
from sitewright.webhooks.listing.service import AttemptFilter, state_of
from sitewright.webhooks.schemas import SubscriptionRequest

DONE = ("created", "saved", "resumed", "replayed")
NEWEST = 10


async def show_subscription(request: ConsoleRequest, subscription_id: int | None) -> Response:
    return await _page(request, subscription_id or 0)


async def show_subscription_again(request: ConsoleRequest, problem: Problem, subscription_id: int | None) -> Response:
    """With the problem; what does not exist has the page of any other address."""
    if problem.status == 404:
        raise problem
    return await _page(request, subscription_id or 0, problem)


async def _page(request: ConsoleRequest, ref: int, problem: Problem | None = None) -> Response:
    messages, row = request.messages, await listing.find_subscription(request.tx, ref)
    newest = PageRequest(sort="ref", descending=True, limit=NEWEST)
    attempts = await listing.list_attempts(request.tx, AttemptFilter(subscription_ref=ref), newest)
    shown = [each for each in ATTEMPT_LIST.columns if each.only_in != "file" and each.name != "url"]
    typed = form_of(request.http_request) if problem is not None else {}
    state, errors = state_of(row), field_errors(request, problem)
    done = parse_query(request.http_request.query).get("done")
    return render(
        request,
        "webhook.html",
        200 if problem is None else problem.status,
        row=row,
        state=messages(f"webhooks_state_{state}"),
        tone=STATE_TONES[state],
        failing_since=None if row.failing_since is None else messages.time(row.failing_since),
        created=messages.time(row.created_at),
        headings=[messages(f"attempts_{each.name}") for each in shown],
        attempts=[[cell_of(column, each, messages) for column in shown] for each in attempts.rows],
        may_change=request.may(Right.CHANGE),
        may_retry=request.may(Right.SUPPORT),
        url=typed.get("url", row.url),
        active=typed.get("active") == "true" if problem is not None else row.active,
        errors=errors,
        alert=errors.get(""),
        done=messages(f"webhooks_done_{done}") if done in DONE else None,
    )


async def show_new(request: ConsoleRequest) -> Response:
    return _new_page(request)


async def show_new_again(request: ConsoleRequest, problem: Problem) -> Response:
    return _new_page(request, problem)


def _new_page(request: ConsoleRequest, problem: Problem | None = None) -> Response:
    errors, typed = field_errors(request, problem), {} if problem is None else form_of(request.http_request)
    return render(
        request,
        "webhook_new.html",
        200 if problem is None else problem.status,
        url=typed.get("url", ""),
        active=problem is None or typed.get("active") == "true",
        errors=errors,
        alert=errors.get(""),
    )


async def create(request: ConsoleRequest) -> Response:
    requested, resources = _requested(request), request.resources
    created = await service.create_subscription(
        request.tx, resources.sealer, request.caller, request.brand_ref or 0, requested
    )
    return redirect(f"{WEBHOOKS}/{created.id}?done=created")


async def edit(request: ConsoleRequest, subscription_id: int | None) -> Response:
    subscription = await service.find_subscription(request.tx, subscription_id or 0, lock=True)
    requested = _requested(request, subscription.event)
    await service.edit_subscription(request.tx, request.caller, subscription, requested)
    return redirect(f"{WEBHOOKS}/{subscription.id}?done=saved")


def _requested(request: ConsoleRequest, event: EventPattern = "site.publish") -> SubscriptionRequest:
    form = parse(SubscriptionForm, form_of(request.http_request))
    url = form.url.strip()
    errors = service.check_subscription(request.resources.settings, {"url": url})
    if errors:
        raise Invalid.fields(errors)
    return SubscriptionRequest(event, url, form.active)


async def resume(request: ConsoleRequest, subscription_id: int | None) -> Response:
    subscription = await service.find_subscription(request.tx, subscription_id or 0, lock=True)
    await service.resume_subscription(request.tx, request.caller, subscription)
    return redirect(f"{WEBHOOKS}/{subscription.id}?done=resumed")


async def replay_dead(request: ConsoleRequest, subscription_id: int | None) -> Response:
    subscription = await service.find_subscription(request.tx, subscription_id or 0, lock=True)
    await service.replay_dead(request.tx, request.caller, subscription)
    return redirect(f"{WEBHOOKS}/{subscription.id}?done=replayed")


async def confirm_deletion(request: ConsoleRequest, subscription_id: int | None) -> Response:
    """Ask once, and say what is lost."""
    subscription = await service.find_subscription(request.tx, subscription_id or 0)
    return render(request, "webhook_delete.html", subscription=subscription)


async def delete(request: ConsoleRequest, subscription_id: int | None) -> Response:
    subscription = await service.find_subscription(request.tx, subscription_id or 0, lock=True)
    await service.delete_subscription(request.tx, request.caller, subscription)
    return redirect(f"{WEBHOOKS}?done=deleted")


async def show_secret(request: ConsoleRequest) -> Response:
    """What replacing the secret means."""
    return render(request, "webhook_secret.html", secret=None)


async def rotate_secret(request: ConsoleRequest) -> Response:
    """Shown once, here."""
    secret = await service.rotate_secret(request.tx, request.resources.sealer, request.caller, request.brand_ref or 0)
    return render(request, "webhook_secret.html", secret=secret)


async def show_attempt(request: ConsoleRequest, attempt_id: int | None) -> Response:
    return await _attempt_page(request, attempt_id or 0)


async def show_attempt_again(request: ConsoleRequest, problem: Problem, attempt_id: int | None) -> Response:
    if problem.status == 404:
        raise problem
    return await _attempt_page(request, attempt_id or 0, problem)


async def _attempt_page(request: ConsoleRequest, ref: int, problem: Problem | None = None) -> Response:
    messages, attempt = request.messages, await listing.find_attempt(request.tx, ref)
    event = await events.find_event(request.tx, attempt.sequence)
    next_at = attempt.next_attempt_at
    values: dict[str, Any] = {
        "attempt": attempt,
        "at": messages.time(attempt.at),
        "next_at": None if next_at is None else messages.time(next_at),
        "outcome": messages(f"attempts_outcome_{attempt.outcome}"),
        "tone": OUTCOME_TONES[attempt.outcome],
        "webhook_id": listing.webhook_id_of(attempt),
        "payload": json.dumps(event.body, indent=2, ensure_ascii=False),
        "may_retry": request.may(Right.SUPPORT),
        "alert": field_errors(request, problem).get(""),
        "is_replayed": parse_query(request.http_request.query).get("done") == "replayed",
    }
    return render(request, "attempt.html", 200 if problem is None else problem.status, **values)


async def replay(request: ConsoleRequest, attempt_id: int | None) -> Response:
    attempt = await listing.find_attempt(request.tx, attempt_id or 0)
    subscription = await service.find_subscription(request.tx, attempt.subscription_ref, lock=True)
    await service.replay_attempt(request.tx, request.caller, subscription, attempt.ref)
    return redirect(f"{ATTEMPTS}/{attempt.ref}?done=replayed")
