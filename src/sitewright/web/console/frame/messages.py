"""The texts and templates of all features of the console: each has them in its own folders."""

from pathlib import Path

from sitewright.kit.auth.password_length import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from sitewright.kit.http.call import Request
from sitewright.kit.http.messages import MessageCatalog, Messages
from sitewright.kit.http.page import Templates
from sitewright.web.domains import service as domains

_CONSOLE = Path(__file__).parents[1]
CATALOG = MessageCatalog(*sorted(_CONSOLE.glob("*/texts")), domains.TEXTS)
TEMPLATES = Templates(*sorted(_CONSOLE.glob("*/templates")), domains.TEMPLATES)
PASSWORD_LENGTH = {"least": MIN_PASSWORD_LENGTH, "most": MAX_PASSWORD_LENGTH}
"""For the texts that name it."""
LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "pt": "Português"}
"""The languages of the console, each with its name in itself."""


def messages_for(request: Request, language: str | None = None) -> Messages:
    """In the operator's own language, else in one that the browser accepts."""
    return CATALOG.messages_for(language, None, request.headers.get("accept-language", ""))
