"""Schemas of the forms and queries of the profile and of the messages."""

from typing import Annotated

import msgspec

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_TEXT, Text
from sitewright.web.account.schemas import Form

Line = Annotated[str, Text(0, MAX_TEXT)]


class ProfileQuery(msgspec.Struct, frozen=True):
    """The query of the profile page."""

    done: Annotated[str | None, about("What has just been done, for the page to say so.", "details")] = None


class ProfileForm(Form, frozen=True, rename="camel", kw_only=True):
    """The account holder's name, address and language."""

    first_name: Annotated[str, Text(1, 150), about("The first name.", "Ann")]
    last_name: Annotated[str, Text(1, 150), about("The last name.", "Example")]
    language_code: Annotated[str, about("One of the brand's languages.", "en")]
    company: Annotated[Line, about("The company.", "Example Ltd")] = ""
    phone_number: Annotated[Line, about("The telephone number.", "+1 202 555 0100")] = ""
    address1: Annotated[Line, about("The first line of the address.", "1 Main Street")] = ""
    address2: Annotated[Line, about("The second line of the address.", "")] = ""
    postcode: Annotated[Line, about("The postal code.", "12345")] = ""
    city: Annotated[Line, about("The city.", "Springfield")] = ""
    state: Annotated[Line, about("The state or region.", "Oregon")] = ""
    country: Annotated[Line, about("The country.", "US")] = ""
    shown: Annotated[str, about("The values that the form showed, as a JSON object.", '{"city": "London"}')] = ""


class EmailForm(Form, frozen=True, kw_only=True):
    """The new e-mail address."""

    email: Annotated[str, Text(1, 254), about("It replaces the present one when its link is used.", "ann@mail.example")]


class PasswordForm(Form, frozen=True, rename="camel", kw_only=True):
    """The present and the new password."""

    current_password: Annotated[str, Text(1, MAX_PASSWORD_LENGTH), about("The present password.", "old password")]
    password: Annotated[str, Text(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH), about("The new one.", "new password")]


class MessagesQuery(msgspec.Struct, frozen=True):
    """Which messages to show; the newest without either."""

    before: Annotated[str | None, about("Only messages older than this one.", "41")] = None
    after: Annotated[str | None, about("The page of messages just newer than this one.", "41")] = None
    done: Annotated[str | None, about("What has just been done, for the page to say so.", "deleted")] = None


class ReadForm(Form, frozen=True, kw_only=True):
    """Mark a message."""

    read: Annotated[bool, about("Whether it counts as read.", True)]


class ReplyForm(Form, frozen=True, kw_only=True):
    """A reply to a visitor."""

    reply: Annotated[str, about("The text, at most 5,000 characters.", "We are open every day.")] = ""
