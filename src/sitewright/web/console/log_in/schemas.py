"""Schemas of the forms and queries of the log-in."""

from typing import Annotated

import msgspec

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.about import about
from sitewright.kit.validation import Text
from sitewright.web.console.frame.page_routes import Form

_BACK = about("The page of the console to go to afterwards.", "/console/me")
_SECRET = about("The secret of the mailed link.", "1-Zt0LdX9cUvL6sJ4cV0yq7m2nB8hT3kQwRfEaGxPiOeM")


class LogInQuery(msgspec.Struct, frozen=True):
    """The query of the log-in page."""

    r: Annotated[str | None, _BACK] = None


class OperatorLogInForm(msgspec.Struct, frozen=True):
    """The log-in form of operators."""

    username: Annotated[str, Text(1, 255), about("The operator's user name.", "kim@brand.example")]
    password: Annotated[str, Text(1, MAX_PASSWORD_LENGTH), about("The password.", "a long enough password")]
    r: Annotated[str | None, _BACK] = None


class CodeForm(Form, frozen=True, kw_only=True):
    """The one-time code."""

    code: Annotated[str, Text(1, 40), about("Of the authenticator app, or a recovery code.", "123456")]
    r: Annotated[str | None, _BACK] = None


class InvitationQuery(msgspec.Struct, frozen=True):
    """The query of the page of an invitation."""

    h: Annotated[str | None, _SECRET] = None


class InvitationForm(msgspec.Struct, frozen=True):
    """What an invited person chooses."""

    h: Annotated[str, _SECRET]
    username: Annotated[str, Text(1, 255), about("The user name to log in with.", "kim@brand.example")]
    password: Annotated[
        str, Text(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH), about("The password.", "a long enough password")
    ]
