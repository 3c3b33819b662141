"""Content negotiation: whether an error is shown as a page, for a person with a browser, or as a problem document."""

from collections.abc import Iterable

from sitewright.kit.http.asgi import HTTPScope

Headers = Iterable[tuple[bytes, bytes]]


def wants_page(scope: HTTPScope) -> bool:
    """Whether `Accept` names HTML and the request has no credentials of the API."""
    return accepts_page(scope["headers"], scope["query_string"])


def accepts_page(headers: Headers, query: bytes) -> bool:
    """The same for a request that could be read only in part."""
    has_credentials = b"oauth_" in query or bool(_header(headers, b"authorization"))
    return b"text/html" in _header(headers, b"accept").lower() and not has_credentials


def header_text(scope: HTTPScope, name: bytes) -> str:
    return text_of(scope["headers"], name)


def text_of(headers: Headers, name: bytes) -> str:
    return _header(headers, name).decode("latin-1")


def _header(headers: Headers, name: bytes) -> bytes:
    return next((value for each, value in headers if each == name), b"")
