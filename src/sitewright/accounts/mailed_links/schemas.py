from typing import Annotated

import msgspec

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.about import about
from sitewright.kit.links import MAX_LINK


class ForgottenPassword(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Whose password was forgotten: `username`, `email` or both, which then must both match."""

    username: Annotated[str, about("The username, in any case.", "ann", min_length=1, max_length=255)] | None = None
    email: (
        Annotated[
            str,
            about(
                "The e-mail address, in any case; each matching user gets a separate mail, at the stored address.",
                "ann@mail.example",
                min_length=1,
                max_length=255,
            ),
        ]
        | None
    ) = None
    login_link: Annotated[
        str,
        about(
            "An absolute http or https URL; the mail's link is this one with `h=<hash>` added to its query.",
            "https://shop.example/login",
            min_length=1,
            max_length=MAX_LINK,
        ),
    ]


class ResetPassword(msgspec.Struct, frozen=True, kw_only=True):
    """A new password, with the hash from the mail."""

    hash: Annotated[
        str,
        about(
            "The value of `h` in the mail's link; works once, for an hour.",
            "1-q1B0K8dZ5Jm0xYx0sOQ0bJq5W2c9m3T7u4v6y8z0A1E",
            min_length=1,
        ),
    ]
    password: Annotated[
        str,
        about("The new password.", "correct horse", min_length=MIN_PASSWORD_LENGTH, max_length=MAX_PASSWORD_LENGTH),
    ]


class SendVerificationEmail(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Where the link in the mail leads to."""

    verification_url: Annotated[
        str,
        about(
            "An absolute http or https URL; the mail's link is this one with `token=<token>` added to its query.",
            "https://shop.example/verify",
            min_length=1,
            max_length=MAX_LINK,
        ),
    ]


class ValidateEmailVerificationToken(msgspec.Struct, frozen=True, kw_only=True):
    """The token from the link in the mail."""

    token: Annotated[
        str,
        about(
            "The value of `token` in the mail's link; works once, for 24 hours.",
            "1-q1B0K8dZ5Jm0xYx0sOQ0bJq5W2c9m3T7u4v6y8z0A1E",
            min_length=1,
        ),
    ]
