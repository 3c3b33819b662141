"""Render the profile page as HTML."""

from typing import Any

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.devices import device_name
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.responses import Response
from sitewright.kit.http.shown_values import shown_values, write_shown
from sitewright.kit.problems import Problem
from sitewright.kit.tokens import Session
from sitewright.web.account.navigation import Section
from sitewright.web.account.own_account.profile_service import ADDRESS_LINES, Profile
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render

DETAILS = (
    ("firstName", "first_name", "given-name"),
    ("lastName", "last_name", "family-name"),
    ("company", "company", "organization"),
    ("phoneNumber", "phone_number", "tel"),
    ("address1", "address1", "address-line1"),
    ("address2", "address2", "address-line2"),
    ("postcode", "postcode", "postal-code"),
    ("city", "city", "address-level2"),
    ("state", "state", "address-level1"),
    ("country", "country", "country-name"),
)
"""The fields of the form: name, attribute of the account holder, and hint for browsers."""
REQUIRED = {"firstName", "lastName"}
LENGTH = {"least": MIN_PASSWORD_LENGTH, "most": MAX_PASSWORD_LENGTH}


def profile_page(
    request: PageRequest,
    profile: Profile,
    *,
    done: str | None = None,
    problem: Problem | None = None,
    typed: dict[str, str] | None = None,
) -> Response:
    messages, errors, requested = request.messages, _errors(request, problem), profile.deletion_requested_at
    return render(
        request,
        "profile.html",
        200 if problem is None else problem.status,
        section=Section.PROFILE,
        profile=profile,
        is_operator=request.operator_ref is not None,
        details=_details(profile, typed or {}),
        shown=write_shown(shown_values(_stored(profile), (typed or {}).get("shown", ""))),
        languages=_languages(profile, messages),
        language=(typed or {}).get("languageCode", profile.user.language_code),
        email=(typed or {}).get("email", ""),
        errors=errors,
        alert=None if problem is None or errors else _describe(request, problem),
        done=None if done is None else messages(f"profile_done_{done}"),
        password_rule=messages("profile_password_rule", **LENGTH),
        sessions=[
            {
                "device": _device(request, each),
                "since": messages.time(each.created_at),
                "is_current": each.is_current,
            }
            for each in profile.sessions
        ],
        copy_until=profile.data_copy and profile.data_copy.expires_at and messages.time(profile.data_copy.expires_at),
        requested=requested and messages.date(requested, request.brand.time_zone),
    )


def deletion_page(request: PageRequest, sites: list[str]) -> Response:
    return render(request, "delete_account.html", section=Section.PROFILE, sites=sites)


def _device(request: PageRequest, session: Session) -> str:
    """The browser, or that support of the brand is logged in."""
    if session.is_of_operator:
        return request.messages("profile_support", brand=request.brand.name)
    return device_name(session.user_agent) or request.messages("profile_unknown_device")


def _details(profile: Profile, typed: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "value": typed.get(name, getattr(profile.user, attribute) or ""),
            "autocomplete": autocomplete,
            "is_required": name in REQUIRED,
        }
        for name, attribute, autocomplete in DETAILS
    ]


def _languages(profile: Profile, messages: Messages) -> dict[str, str]:
    """Names by code. The present language stays a choice where the brand no longer offers it."""
    present = profile.user.language_code
    offered = {each.code: each.name for each in profile.languages}
    return offered if present in offered else offered | {present: messages.language_name(present)}


def _stored(profile: Profile) -> dict[str, str]:
    values = {name: getattr(profile.user, attribute) or "" for name, attribute, _ in DETAILS}
    return values | {"languageCode": profile.user.language_code}


def _errors(request: PageRequest, problem: Problem | None) -> dict[str, str]:
    """The message of each invalid field, in the reader's language; a rate limit is shown at its field."""
    if problem is None:
        return {}
    messages, path = request.messages, request.http_request.path
    found = {name: _field_error(request, name, next(iter(codes))) for name, codes in problem.errors.items()}
    if not found and "retry-after" in {name.lower() for name in problem.headers}:
        wait = messages("profile_too_many", wait=messages.wait(_retry_after(problem)))
        return {"currentPassword" if path.endswith("/password") else "email": wait}
    return found


def _field_error(request: PageRequest, name: str, code: str) -> str:
    messages = request.messages
    kind = "addressLine" if name in ADDRESS_LINES else name
    for key in (f"profile_wrong_{code}", f"profile_wrong_{kind}"):
        if key in messages:
            return messages(key, **LENGTH)
    return messages("profile_wrong")


def _describe(request: PageRequest, problem: Problem) -> str:
    key = f"profile_why_{problem.code}"
    return request.messages(key) if key in request.messages else request.messages("problem")


def _retry_after(problem: Problem) -> int:
    return next(int(value) for name, value in problem.headers.items() if name.lower() == "retry-after")
