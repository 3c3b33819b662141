"""Descriptions of account pages and their forms, for the router and the API reference."""

import msgspec

from sitewright.kit.http.page import HTML, UNAVAILABLE
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.problems import TooLarge

SITE = "/account/sites/{site_ref:int}"
NO_SITE = {404: "A page: the account holder has no such site."}
PAGE_RESPONSES = {200: "The page.", 303: "Not logged in.", 400: "A page: the query is invalid."} | NO_SITE | UNAVAILABLE
FORM_RESPONSES = {
    303: "Done; or not logged in.",
    400: "A page: the form is invalid.",
    403: "A page: the form was not on one of this session's pages, or the package allows no more.",
    409: "A page: the state of the site does not allow it.",
    415: "A page: the body is not a form.",
    **NO_SITE,
    **UNAVAILABLE,
}


def page_route(
    path: str,
    name: str,
    summary: str,
    description: str,
    query: type[msgspec.Struct] | None,
    also: dict[int, str] | None = None,
) -> PublicRoute:
    return PublicRoute(
        path=path,
        operation_id=name,
        summary=summary,
        description=description,
        query=query,
        responses=PAGE_RESPONSES | (also or {}),
        media_type=HTML,
        tag="account",
    )


def form_route(path: str, name: str, summary: str, description: str, form: type[msgspec.Struct]) -> PublicRoute:
    return PublicRoute(
        method="POST",
        path=path,
        operation_id=name,
        summary=summary,
        description=description,
        form=form,
        responses=FORM_RESPONSES,
        media_type=HTML,
        tag="account",
        errors=(TooLarge,),
    )
