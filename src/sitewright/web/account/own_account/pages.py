"""Routes of the profile and of the messages, with their descriptions for the API reference."""

from typing import Literal

import msgspec

from sitewright.accounts.reports.data_exports.service import ZIP
from sitewright.kit.http.page import HTML, UNAVAILABLE, Page
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.problems import TooLarge, Unavailable
from sitewright.web.account.authenticated_pages import authenticated_page
from sitewright.web.account.own_account import message_pages, profile_pages
from sitewright.web.account.own_account.message_pages import MESSAGES
from sitewright.web.account.own_account.profile_pages import PROFILE
from sitewright.web.account.own_account.schemas import (
    EmailForm,
    MessagesQuery,
    PasswordForm,
    ProfileForm,
    ProfileQuery,
    ReadForm,
    ReplyForm,
)
from sitewright.web.account.schemas import Form

MESSAGE = f"{MESSAGES}/{{message_ref:int}}"
SHOWN = {200: "The page.", 303: "Not logged in.", 400: "A page: the query is invalid.", **UNAVAILABLE}
SENT = {
    303: "Done; or not logged in.",
    400: "The page again: a field is invalid.",
    403: "A page: the form was not on one of this session's pages, or only the account holder may do this, not an"
    " operator who is logged in as them.",
    415: "A page: the body is not a form.",
    **UNAVAILABLE,
}
NO_MESSAGE = {404: "A page: the account holder has no such message."}
NOT_AS_OPERATOR = "A page: only the account holder may do this, not an operator who is logged in as them."
TOO_MANY = {429: "The page again: too many at once."}


def _route(
    method: Literal["GET", "POST"],
    path: str,
    name: str,
    summary: str,
    schema: type[msgspec.Struct] | None = None,
    more: dict[int, str] | None = None,
) -> PublicRoute:
    is_form = method == "POST"
    return PublicRoute(
        method=method,
        path=path,
        operation_id=name,
        summary=summary,
        description="For the account holder who is logged in, in their language.",
        query=None if is_form else schema,
        form=(schema or Form) if is_form else None,
        responses=(SENT if is_form else SHOWN) | (more or {}),
        media_type=HTML,
        tag="account",
        errors=(TooLarge,) if is_form else (),
    )


DOWNLOAD = PublicRoute(
    path=f"{PROFILE}/data",
    operation_id="downloadOwnData",
    summary="Download the copy of all own data.",
    description="For the account holder who is logged in. One `Range` may be requested.",
    responses={
        200: "A zip archive of JSON files.",
        206: "The requested part.",
        303: "There is none, or none any more; it is not for operators; or not logged in.",
    },
    media_type=ZIP,
    tag="account",
    errors=(Unavailable,),
)
PAGES: list[Page] = [
    authenticated_page(
        _route("GET", PROFILE, "showProfile", "The account holder's profile.", ProfileQuery), profile_pages.show_profile
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/details", "saveProfile", "Save name, address and language.", ProfileForm),
        profile_pages.save_details,
        profile_pages.show_again,
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/email", "changeOwnEmail", "Mail a link to a new address.", EmailForm, TOO_MANY),
        profile_pages.change_email,
        profile_pages.show_again,
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/verification", "sendOwnVerification", "Mail a verification link.", None, TOO_MANY),
        profile_pages.send_verification,
        profile_pages.show_again,
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/password", "changeOwnPassword", "Change the password.", PasswordForm, TOO_MANY),
        profile_pages.change_password,
        profile_pages.show_again,
        profile_pages.prepare_password,
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/log-out", "logOutEverywhere", "End all sessions."), profile_pages.log_out_everywhere
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/data", "requestOwnData", "Have a copy of all own data made."),
        profile_pages.request_data,
        profile_pages.show_again,
    ),
    authenticated_page(DOWNLOAD, profile_pages.download_data),
    authenticated_page(
        _route(
            "GET",
            f"{PROFILE}/deletion",
            "confirmDeletionRequest",
            "Ask whether the deletion of the account should be requested.",
            None,
            {403: NOT_AS_OPERATOR, 404: "A page: the brand does not take such requests."},
        ),
        profile_pages.show_deletion,
    ),
    authenticated_page(
        _route("POST", f"{PROFILE}/deletion", "requestDeletion", "Ask the brand to delete the account."),
        profile_pages.request_deletion,
        profile_pages.show_again,
    ),
    authenticated_page(
        _route("GET", MESSAGES, "showMessages", "Visitors' messages, newest first.", MessagesQuery),
        message_pages.show_messages,
    ),
    authenticated_page(
        _route("GET", MESSAGE, "showMessage", "A message and the replies to it.", MessagesQuery, NO_MESSAGE),
        message_pages.show_message,
    ),
    authenticated_page(
        _route("POST", f"{MESSAGE}/read", "markMessage", "Mark a message as read or unread.", ReadForm, NO_MESSAGE),
        message_pages.mark_message,
    ),
    authenticated_page(
        _route("POST", f"{MESSAGE}/reply", "replyToMessage", "Mail a reply.", ReplyForm, NO_MESSAGE | TOO_MANY),
        message_pages.reply_to_message,
        message_pages.show_message_again,
    ),
    authenticated_page(
        _route("POST", f"{MESSAGE}/delete", "deleteMessage", "Delete a message permanently.", None, NO_MESSAGE),
        message_pages.delete_message,
    ),
]
PUBLIC = tuple(page.route for page in PAGES)
