"""`/verify-email`: the page of the verification link that is mailed to a profile's e-mail address.

Opening the page changes nothing, since mail scanners follow links; its button verifies the address.
"""

from typing import Annotated

import msgspec

from sitewright.accounts.profiles import service as profiles
from sitewright.kit import tokens
from sitewright.kit.http.about import about
from sitewright.kit.http.call import Request
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page, form_of
from sitewright.kit.http.problem_page import problem_page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import TooLarge
from sitewright.kit.resources import Resources
from sitewright.kit.validation import parse_query, parse_ref
from sitewright.web.login import views
from sitewright.web.login.branding import find_branding


class VerificationLink(msgspec.Struct, frozen=True, rename="camel"):
    """The parameters of the mailed link and of the page's form."""

    token: Annotated[str, about("The secret of the link; works once, for 24 hours.", "1-q1B0K8dZ5Jm0xYx0sOQ0bJ")] = ""
    profile_ref: Annotated[str, about("The profile whose address is verified.", "5")] = ""


async def show_verification(request: Request, resources: Resources) -> Response:
    query = parse_query(request.query)
    secret, profile = query.get("token", ""), query.get("profileRef", "")
    branding = await find_branding(resources, request, tokens.brand_of(secret))
    return views.verification_page(branding, profiles.VERIFY_EMAIL, secret[: tokens.MAX_LENGTH], profile[:20])


async def verify_address(request: Request, resources: Resources) -> Response:
    form = form_of(request)
    secret, profile_ref = form.get("token", ""), parse_ref(form.get("profileRef", ""))
    brand_ref = tokens.brand_of(secret)
    branding = await find_branding(resources, request, brand_ref)
    is_verified = False
    if brand_ref is not None and profile_ref is not None and branding.brand is not None:
        async with resources.database.transaction(brand_ref) as tx:
            is_verified = await profiles.verify_address(tx, profile_ref, secret, request.context.request_id)
    return views.verified_page(branding, is_verified=is_verified)


PUBLIC = (
    PublicRoute(
        path=profiles.VERIFY_EMAIL,
        operation_id="showEmailVerification",
        summary="The page of the verification link that is mailed to a profile's e-mail address.",
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
        operation_id="verifyProfileEmail",
        summary="Verify the e-mail address of a profile.",
        description="Sent by the page's button. From then on visitors' messages go to the address.",
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
