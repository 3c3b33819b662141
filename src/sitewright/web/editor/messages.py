"""The texts of the editor, in the language of the account pages."""

from pathlib import Path

from sitewright.kit.http.messages import MessageCatalog, Messages
from sitewright.web.account.holder_pages.service import PageRequest

CATALOG = MessageCatalog(Path(__file__).parent / "texts")


def messages_of(request: PageRequest) -> Messages:
    """The texts of the account pages, with those of the editor."""
    language = request.messages.language
    return Messages(language, request.messages.texts | CATALOG.own[language])
