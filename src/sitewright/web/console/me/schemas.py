"""Schemas of the forms of an operator's own page."""

from typing import Annotated

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.about import about
from sitewright.kit.validation import Text
from sitewright.web.console.frame.page_routes import Form


class LanguageForm(Form, frozen=True, kw_only=True):
    """The language of the console."""

    language: Annotated[str, about("One of en, de, es, fr and pt.", "de")]


class OwnPasswordForm(Form, frozen=True, kw_only=True, rename="camel"):
    """The present and the new password of an operator."""

    current_password: Annotated[str, Text(1, MAX_PASSWORD_LENGTH), about("The present password.", "old password")]
    password: Annotated[str, Text(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH), about("The new one.", "new password")]


class OwnCodeForm(Form, frozen=True, kw_only=True):
    """A code that confirms a change of the second factor."""

    code: Annotated[str, Text(1, 40), about("Of the authenticator app, or a recovery code.", "123456")]
