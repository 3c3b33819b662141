"""Descriptions of the editor's calls, for the router and the API reference."""

from typing import Any

import msgspec

from sitewright.kit.http.public import PublicRoute
from sitewright.kit.problems import Invalid, Problem, TooLarge, Unavailable, UnsupportedMediaType
from sitewright.sites.sites.errors import SiteNotFound
from sitewright.web.account.holder_pages.service import SITE
from sitewright.web.editor.errors import FormTokenRejected, NotLoggedIn

EDIT = f"{SITE}/edit"
CHANGE_ERRORS = (
    NotLoggedIn,
    FormTokenRejected,
    SiteNotFound,
    Invalid,
    TooLarge,
    UnsupportedMediaType,
    Unavailable,
)


def read(
    path: str, name: str, summary: str, response_type: type[msgspec.Struct], *errors: type[Problem], **more: Any
) -> PublicRoute:
    return PublicRoute(
        path=path,
        operation_id=name,
        summary=summary,
        description="Called by the editor, under the account holder's session.",
        responses={200: "Done."},
        response_type=response_type,
        tag="editor",
        errors=(NotLoggedIn, SiteNotFound, Invalid, Unavailable, *errors),
        **more,
    )


def change(
    path: str,
    name: str,
    summary: str,
    response_type: type[msgspec.Struct] | None,
    *errors: type[Problem],
    form: type[msgspec.Struct] | None = None,
) -> PublicRoute:
    return PublicRoute(
        method="POST",
        path=path,
        operation_id=name,
        summary=summary,
        description="Called by the editor, under the account holder's session, with its form token as `X-Form-Token`.",
        responses={204 if response_type is None else 200: "Done."},
        response_type=response_type,
        tag="editor",
        form=form,
        errors=(*CHANGE_ERRORS, *errors),
    )
