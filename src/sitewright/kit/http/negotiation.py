"""Content negotiation: whether an error is shown as a page, for a person with a browser, or as a problem document."""

from collections.abc import Iterable

from sitewright.kit.http.asgi import HTTPScope


def wants_page(scope: HTTPScope) -> bool:
    """Whether `Accept` names HTML and the request has no credentials of the API."""
    return b"text/html" in _header(scope["headers"], b"accept").lower() and not _has_credentials(scope)


def header_text(scope: HTTPScope, name: bytes) -> str:
    return _header(scope["headers"], name).decode("latin-1")


def _has_credentials(scope: HTTPScope) -> bool:
    return b"oauth_" in scope["query_string"] or bool(_header(scope["headers"], b"authorization"))


def _header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes:
    return next((value for each, value in headers if each == name), b"")
