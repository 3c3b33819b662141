"""Descriptions of the console's pages and forms, for the router and the API reference."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.http.page import HTML, UNAVAILABLE
from sitewright.kit.http.public import MAX_FORM, PublicRoute
from sitewright.kit.http.request_reader import MAX_BODY
from sitewright.kit.problems import TooLarge

SHOWN = {200: "The page.", 303: "Not logged in.", 400: "A page: the query is invalid."} | UNAVAILABLE
SENT = {
    303: "Done; or not logged in.",
    400: "The page again: a field is invalid.",
    403: "A page: the role does not allow it, or the form was not on one of this session's pages.",
    415: "A page: the body is not a form.",
    **UNAVAILABLE,
}


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """A form of the console without fields of its own."""

    token: Annotated[str, about("The token of session and brand, against cross-site requests.", "0f3a")] = ""


class DoneQuery(msgspec.Struct, frozen=True):
    """The query of a page that shows what was done."""

    done: Annotated[str | None, about("What has just been done, for the page to say so.", "saved")] = None


def page_route(
    path: str,
    name: str,
    summary: str,
    query: type[msgspec.Struct] | None = None,
    more: dict[int, str] | None = None,
) -> PublicRoute:
    return PublicRoute(
        path=path,
        operation_id=name,
        summary=summary,
        description="For operators who are logged in to the console, in their language.",
        query=query,
        responses=SHOWN | (more or {}),
        media_type=HTML,
        tag="console",
    )


def form_route(
    path: str,
    name: str,
    summary: str,
    form: type[msgspec.Struct] = Form,
    more: dict[int, str] | None = None,
    *,
    has_files: bool = False,
    max_form: int = MAX_FORM,
) -> PublicRoute:
    """`has_files`: the form is sent as multipart/form-data, and may be as large as any request."""
    return PublicRoute(
        method="POST",
        path=path,
        operation_id=name,
        summary=summary,
        description="For operators who are logged in to the console.",
        form=form,
        responses=SENT | (more or {}),
        media_type=HTML,
        tag="console",
        errors=(TooLarge,),
        has_files=has_files,
        max_form=MAX_BODY if has_files else max_form,
    )
