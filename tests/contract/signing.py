"""Credentials on a request: HTTP Basic, or OAuth 1.0a signed by oauthlib, in every place allowed for the parameters."""

import base64
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec
from oauthlib.oauth1 import Client

from sitewright.tenants.credentials.service import OAuthCredentials
from tests.contract.exchange import FORM, Request
from tests.support.cast import Cast

Place: TypeAlias = Literal["AUTH_HEADER", "QUERY", "BODY"]
AddCredentials: TypeAlias = Callable[[str, Request], Request]
"""Given the service's address, adds credentials to a request."""


def basic(cast: Cast) -> AddCredentials:
    token = base64.b64encode(":".join(cast.owner_operator).encode()).decode()

    def apply(_base_url: str, request: Request) -> Request:
        headers = (*request.headers, ("Authorization", f"Basic {token}"))
        return msgspec.structs.replace(request, headers=headers)

    return apply


def oauth(
    oauth_credentials: OAuthCredentials, algorithm: str = "HMAC-SHA1", place: Place = "AUTH_HEADER", **options: Any
) -> AddCredentials:
    """oauthlib signs the form too, if the body is one; JSON bodies are not part of the signature."""

    def apply(base_url: str, request: Request) -> Request:
        client = Client(
            oauth_credentials.consumer_key,
            oauth_credentials.consumer_secret,
            oauth_credentials.access_token,
            oauth_credentials.access_secret,
            signature_method=algorithm,
            signature_type=place,
            **options,
        )
        is_form = bool(request.body) and _content_type(request).startswith(FORM)
        form = (request.body or b"").decode() if is_form else None
        headers = {"Content-Type": FORM} if is_form else {}
        url, added, body = client.sign(base_url + request.target, request.method, body=form, headers=headers)
        authorization = tuple((name, value) for name, value in added.items() if name == "Authorization")
        return msgspec.structs.replace(
            request,
            target=url.removeprefix(base_url),
            headers=request.headers + authorization,
            body=body.encode() if is_form else request.body,
        )

    return apply


def _content_type(request: Request) -> str:
    return next((value for name, value in request.headers if name.lower() == "content-type"), "")
