"""The messages of pages: every language has all of them."""

import string

import pytest

from sitewright.kit.http.messages import COMMON
from sitewright.web.account.formatting import CATALOG as ACCOUNT
from sitewright.web.console.frame.messages import CATALOG as CONSOLE
from sitewright.web.login.messages import CATALOG as LOGIN
from sitewright.web.start.pages import CATALOG as START
from tests.support.browsing import LANGUAGES

FOLDERS = {"every page": COMMON, "login": LOGIN.own, "account": ACCOUNT.own, "start": START.own, "console": CONSOLE.own}
SAME_AS_ENGLISH = {
    "de": {
        "allows_liveSites", "live", "nav_domains", "page_text", "site_name", "template_atelier", "title",
        "which_site",
        "group_system", "nav_system", "nav_webhooks", "record_name", "record_value_TXT",
        "size_GiB", "size_MiB",
    },
    "es": {"list_no", "nav_webhooks", "size_GiB", "size_MiB"},
    "fr": {
        "console", "contact_group", "field_strapline", "sessions",
        "messages_title", "nav_messages", "pages", "template_atelier", "template_horizon",
        "menu", "nav_catalogue", "nav_sites", "nav_webhooks", "check_attention", "record_type", "site_back",
        "drift_site",
    },
    "pt": {"console", "menu", "nav_sites", "nav_webhooks", "site_back", "drift_site", "size_GiB", "size_MiB"},
}  # fmt: skip
"""Words that both languages have."""


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_language_has_messages(folder: str) -> None:
    assert sorted(FOLDERS[folder]) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_language_has_all_texts(folder: str, language: str) -> None:
    texts, english = FOLDERS[folder][language], FOLDERS[folder]["en"]
    assert list(texts) == list(english)
    for key, text in texts.items():
        assert text.strip() == text != "", key
        assert placeholders(text) == placeholders(english[key]), key
    same = {key for key, text in texts.items() if language != "en" and text == english[key]}
    assert same <= SAME_AS_ENGLISH.get(language, set())


def test_no_folder_overrides_a_common_text() -> None:
    for texts in (LOGIN, ACCOUNT, START, CONSOLE):
        assert not texts.own["en"].keys() & COMMON["en"].keys()
