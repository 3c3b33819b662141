"""Schemas of the auto-login call, and of the log-in pages' forms and queries."""

from typing import Annotated

import msgspec

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH
from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref, Text

_HASH = "1-Zt0LdX9cUvL6sJ4cV0yq7m2nB8hT3kQwRfEaGxPiOeM"


class AutoLogin(msgspec.Struct, rename="camel", frozen=True):
    """Which site to log in to."""

    site_ref: Annotated[Ref | None, about("A site of the user; the user's first one if left out.", 1)] = None


class LoginHash(msgspec.Struct, rename="camel", frozen=True):
    """The log-in hash and its URL."""

    hash: Annotated[str, about("Works once, within an hour, as `/login?hash=<hash>`.", _HASH)]
    flow_url: Annotated[
        str,
        about(
            "The log-in URL with this hash, absolute: on the service's public address, else on the host you called.",
            f"https://service.example.com/login?hash={_HASH}",
        ),
    ]


class LogInQuery(msgspec.Struct, rename="camel", frozen=True):
    """The query of the log-in page."""

    hash: Annotated[str | None, about("The hash of an auto-login call; without it the page shows a form.", _HASH)] = (
        None
    )
    r: Annotated[
        str | None,
        about("Where to go afterwards: a path, or an address on a host of the brand.", "https://northwind.example/"),
    ] = None
    brand_ref: Annotated[str | None, about("Whose account holders log in; by the host if left out.", "1")] = None


class LogInForm(msgspec.Struct, rename="camel", frozen=True):
    """The log-in form."""

    username: Annotated[str, Text(1, 255), about("The user name, in any case.", "ann")]
    password: Annotated[str, Text(1, MAX_PASSWORD_LENGTH), about("The password.", "a long enough password")]
    r: Annotated[str | None, about("Where to go afterwards.", "/account")] = None
    brand_ref: Annotated[str | None, about("Whose account holders log in.", "1")] = None


class LogOutForm(msgspec.Struct, frozen=True):
    """The log-out form."""

    token: Annotated[str, about("The session's form token, against cross-site requests.", "0f3a")] = ""
