"""Built-in pages (holding, offline, errors), in the site's language or else the visitor's; cached by language."""

from functools import lru_cache
from pathlib import Path

from sitewright.edge.response import NO_STORE, Header, Page, Response, page_response
from sitewright.kit.http.messages import MessageCatalog, Messages
from sitewright.kit.http.page import SAME_PAGE, Templates
from sitewright.kit.ui.brand import BrandLook
from sitewright.sites.sites.service import OfflineReason

OFFLINE_RETRY_SECONDS = 300
UNAVAILABLE_RETRY_SECONDS = 2
_templates = Templates(inline=True)
_SIGNS = {404: "compass", 500: "alert", 503: "clock"}
_OFFLINE_TEXTS = {
    OfflineReason.NEVER_PUBLISHED: "unpublished",
    OfflineReason.SITE_DISABLED: "disabled",
    OfflineReason.OWNER_SUSPENDED: "paused",
}
"""Other reasons are only called offline: that an account was deleted is nobody else's business."""
_LINKS = {"not_found": ("/", "to_home"), "unavailable": (SAME_PAGE, "try_again")}
TEXTS = MessageCatalog(Path(__file__).parent / "texts")


def texts_for(language: str | None, accept_language: bytes = b"") -> Messages:
    return TEXTS.messages_for(language, None, accept_language[:200].decode("latin-1"))


def holding(accept_language: bytes, look: BrandLook | None = None) -> Response:
    return _cached_page("holding", 404, "holding", texts_for(None, accept_language).language, look=look)


def offline(language: str, look: BrandLook | None = None, reason: OfflineReason | None = None) -> Response:
    text = "offline" if reason is None else _OFFLINE_TEXTS.get(reason, "offline")
    return _cached_page("offline", 503, text, language, OFFLINE_RETRY_SECONDS, look)


def unavailable(language: str | None, accept_language: bytes) -> Response:
    """The response while the database is unavailable."""
    shown_language = texts_for(language, accept_language).language
    return _cached_page("offline", 503, "unavailable", shown_language, UNAVAILABLE_RETRY_SECONDS)


def not_found(language: str, look: BrandLook | None = None) -> Response:
    """The 404 page for snapshots that have none of their own."""
    return _cached_page("not-found", 404, "not_found", language, look=look)


def internal_error(accept_language: bytes) -> Response:
    return _cached_page("page", 500, "internal_error", texts_for(None, accept_language).language)


def too_long(accept_language: bytes) -> Response:
    return _cached_page("page", 414, "too_long", texts_for(None, accept_language).language)


@lru_cache(maxsize=100)
def not_allowed(language: str, allow: str, look: BrandLook | None = None) -> Response:
    texts, headers = texts_for(language), ((b"allow", allow.encode()),)
    return _render("page", 405, texts, "not_allowed_title", texts("not_allowed"), headers=headers, look=look)


def not_sent(
    status: int, language: str, reason: str, back: str, look: BrandLook | None, retry_after: int | None = None
) -> Response:
    """Say why a contact message was rejected; `back` links to the form."""
    texts, headers = texts_for(language), retry_headers(retry_after)
    return _render("page", status, texts, "not_sent_title", reason, link=back, headers=headers, look=look)


def retry_headers(retry_after: int | None) -> tuple[Header, ...]:
    return () if retry_after is None else ((b"retry-after", b"%d" % retry_after),)


@lru_cache(maxsize=200)
def _cached_page(
    page: Page,
    status: int,
    text: str,
    language: str,
    retry_after: int | None = None,
    look: BrandLook | None = None,
) -> Response:
    texts = texts_for(language)
    headers = retry_headers(retry_after)
    link, link_text = _LINKS.get(text, (None, "back"))
    title = f"{text}_title"
    return _render(page, status, texts, title, texts(text), link=link, link_text=link_text, headers=headers, look=look)


def _render(
    page: Page,
    status: int,
    texts: Messages,
    title: str,
    message: str,
    *,
    link: str | None = None,
    link_text: str = "back",
    headers: tuple[Header, ...] = (),
    look: BrandLook | None = None,
) -> Response:
    rendered = _templates.message(
        status,
        texts,
        texts(title),
        message,
        brand=look,
        headers={},
        sign="globe" if page == "holding" else _SIGNS.get(status, "info"),
        link=None if link is None else (link, texts(link_text)),
    )
    own = tuple((name.encode(), value.encode()) for name, value in rendered.headers.items())
    return page_response(page, status, rendered.body, rendered.content_type, (*own, *headers, NO_STORE))
