"""`/verify-email`: the page of links that verify an e-mail address: of an account, a new one of it, or of a profile.

Opening the page changes nothing, since mail scanners follow links; its button verifies the address.
"""

from contextlib import suppress
from typing import Annotated

import msgspec

from sitewright.accounts.mailed_links import service as mailed_links
from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import UserNotFound
from sitewright.kit import tokens
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, form_of
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Invalid, TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.web.login import views
from sitewright.web.login.branding import find_branding


class VerificationLink(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of the mailed link and of the page's form. Without the last two, the account holder's own
    address is verified."""

    token: Annotated[str, about("The secret of the link; works once, for 24 hours.", "1-q1B0K8dZ5Jm0xYx0sOQ0bJ")] = ""
    profile_ref: Annotated[str, about("The profile whose address is verified.", "5")] = ""
    email: Annotated[str, about("The new address of the account holder.", "ann@mail.example")] = ""


MAX_REF, MAX_EMAIL = 20, 254
ACCOUNT, CHANGE, PROFILE = "account", "change", "profile"


def _link(values: dict[str, str]) -> tuple[str, dict[str, str]]:
    """What the link is for, and its parameters."""
    limits = {"token": tokens.MAX_LENGTH, "profileRef": MAX_REF, "email": MAX_EMAIL}
    sent = {name: values.get(name, "")[:limit] for name, limit in limits.items() if values.get(name)}
    purpose = PROFILE if "profileRef" in sent else CHANGE if "email" in sent else ACCOUNT
    return purpose, sent


async def show_verification(request: Request, resources: Resources) -> Response:
    purpose, link = _link(parse_query(request.query))
    branding = await find_branding(resources, request, tokens.brand_of(link.get("token", "")))
    return views.verification_page(branding, purpose, link)


async def verify_address(request: Request, resources: Resources) -> Response:
    purpose, link = _link(form_of(request))
    brand_ref = tokens.brand_of(link.get("token", ""))
    branding = await find_branding(resources, request, brand_ref)
    is_verified = False
    if brand_ref is not None and branding.brand is not None:
        async with resources.database.transaction(brand_ref) as tx:
            is_verified = await _VERIFY[purpose](tx, resources, brand_ref, link, request.context.request_id)
    return views.verified_page(branding, purpose, is_verified=is_verified)


async def _verify_profile(
    tx: Transaction, _resources: Resources, _brand_ref: int, link: dict[str, str], request_id: str
) -> bool:
    profile_ref = parse_ref(link["profileRef"])
    return profile_ref is not None and await profiles.verify_address(tx, profile_ref, link["token"], request_id)


async def _verify_account(
    tx: Transaction, _resources: Resources, brand_ref: int, link: dict[str, str], request_id: str
) -> bool:
    user_ref = await mailed_links.find_verification(tx, link["token"])
    if user_ref is None:
        return False
    caller = _caller(brand_ref, f"user:{user_ref}", request_id)
    with suppress(UserNotFound, Invalid):
        user = await users.find_user(tx, caller, user_ref, lock=True)
        await mailed_links.verify_email(tx, caller, user, link["token"])
        return True
    return False


async def _change_address(
    tx: Transaction, resources: Resources, brand_ref: int, link: dict[str, str], request_id: str
) -> bool:
    caller = _caller(brand_ref, "page:verify-email", request_id)
    return await mailed_links.confirm_email_change(tx, resources.sealer, caller, link["email"], link["token"])


def _caller(brand_ref: int, name: str, request_id: str) -> Caller:
    return Caller(role=Role.BRAND_ADMIN, name=name, brand_ref=brand_ref, request_id=request_id)


_VERIFY = {PROFILE: _verify_profile, ACCOUNT: _verify_account, CHANGE: _change_address}


PUBLIC = (
    PublicRoute(
        path=profiles.VERIFY_EMAIL,
        operation_id="showEmailVerification",
        summary="The page of the link that is mailed to verify an e-mail address.",
        description="A page with a button that verifies the address. Opening it changes nothing, and it looks the same"
        " whether or not the link still works.",
        query=VerificationLink,
        responses={200: "The page.", 400: "A page: the query is invalid.", **UNAVAILABLE},
        media_type=HTML,
        tag="login",
    ),
    PublicRoute(
        method="POST",
        path=profiles.VERIFY_EMAIL,
        operation_id="verifyEmailAddress",
        summary="Verify an e-mail address.",
        description="Sent by the page's button. With `profileRef`, visitors' messages go to the address from then on;"
        " with `email`, it replaces the account holder's address.",
        form=VerificationLink,
        responses={
            200: "The page: the address is verified.",
            400: "A page: the link was used, has expired or is unknown, or the profile names another address by now.",
            415: "A page: the body is not a form.",
            **UNAVAILABLE,
        },
        media_type=HTML,
        tag="login",
        errors=(TooLarge,),
    ),
)
PAGES = [
    Page(route, function, problem_page)
    for route, function in zip(PUBLIC, (show_verification, verify_address), strict=True)
]
