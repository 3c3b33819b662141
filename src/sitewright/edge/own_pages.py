"""The listener's own pages: what visitors see where a site has nothing to show. In the site's language, else the
visitor's; made once for each language."""

from functools import lru_cache
from pathlib import Path

from sitewright.edge.answer import NO_STORE, Answer, Header, Page, answer
from sitewright.kit.http.page import FURNITURE, Templates
from sitewright.kit.http.words import Texts, Words

OFFLINE_RETRY_SECONDS = 300
AWAY_RETRY_SECONDS = 2
_templates = Templates(FURNITURE)
TEXTS = Texts(Path(__file__).parent / "texts")


def words_for(language: str | None, accept_language: bytes = b"") -> Words:
    return TEXTS.words_for(language, None, accept_language[:200].decode("latin-1"))


def holding(accept_language: bytes) -> Answer:
    return _made("holding", 404, "holding", words_for(None, accept_language).language)


def offline(language: str) -> Answer:
    return _made("offline", 503, "offline", language, OFFLINE_RETRY_SECONDS)


def away(language: str | None, accept_language: bytes) -> Answer:
    """The database cannot be asked."""
    return _made("offline", 503, "away", words_for(language, accept_language).language, AWAY_RETRY_SECONDS)


def not_found(language: str) -> Answer:
    """For snapshots without such a page of their own."""
    return _made("not-found", 404, "not_found", language)


def bug(accept_language: bytes) -> Answer:
    return _made("page", 500, "bug", words_for(None, accept_language).language)


def too_long(accept_language: bytes) -> Answer:
    return _made("page", 414, "too_long", words_for(None, accept_language).language)


@lru_cache(maxsize=100)
def not_allowed(language: str, allow: str) -> Answer:
    words = words_for(language)
    return shown("page", 405, words, "not_allowed_title", words("not_allowed"), headers=((b"allow", allow.encode()),))


def not_sent(status: int, language: str, said: str, back: str, retry_after: int | None = None) -> Answer:
    """Why a message was not taken; `back` leads to the form."""
    headers = () if retry_after is None else ((b"retry-after", b"%d" % retry_after),)
    words = words_for(language)
    return shown("page", status, words, "not_sent_title", said, link=back, link_text="back", headers=headers)


@lru_cache(maxsize=1000)
def _made(page: Page, status: int, text: str, language: str, retry_after: int | None = None) -> Answer:
    words = words_for(language)
    headers = () if retry_after is None else ((b"retry-after", b"%d" % retry_after),)
    link = "/" if page == "not-found" else None
    return shown(page, status, words, f"{text}_title", words(text), link=link, link_text="to_home", headers=headers)


def shown(
    page: Page,
    status: int,
    words: Words,
    title: str,
    said: str,
    *,
    link: str | None = None,
    link_text: str = "back",
    headers: tuple[Header, ...] = (),
) -> Answer:
    made = _templates.page(
        "message.html",
        status,
        headers={},
        brand=None,
        words=words,
        title=words(title),
        said=said,
        link=link,
        link_text=words(link_text),
    )
    own = tuple((name.encode(), value.encode()) for name, value in made.headers.items())
    return answer(page, status, made.body, made.content_type, (*own, *headers, NO_STORE))
