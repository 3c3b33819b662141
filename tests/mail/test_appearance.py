"""Mails have the brand's appearance, in colors of the design system that are readable."""

import re

import msgspec
import pytest

from sitewright.features import MAIL
from sitewright.kit.mail.rendering import render
from sitewright.kit.mail.samples import BRAND, preview, sample_recipient
from sitewright.kit.ui.colors import contrast
from sitewright.kit.ui.tokens import colors

YELLOW = msgspec.structs.replace(
    BRAND,
    accent_colour="#ffee00",
    mail_logo="/resources/brands/1/logo-x",
    privacy_url="https://example.com/privacy",
    terms_url="https://example.com/terms",
)


@pytest.mark.parametrize("language", ["de", "en", "es", "fr", "pt"])
def test_logo_accent_and_links(language: str) -> None:
    mail = preview(MAIL.kinds["welcome"], language, YELLOW, {}, "https://service.example")
    assert '<img src="https://service.example/resources/brands/1/logo-x" alt="Example"' in mail.html
    for link in ("https://example.com/privacy", "https://example.com/terms"):
        assert f'href="{link}"' in mail.html
        assert link in mail.text
    [fill] = re.findall(r'class="action" style="background-color:(#[0-9a-f]{6})', mail.html)
    assert contrast(fill, "#ffffff") >= 4.5


def test_a_resellers_users_do_not_see_the_brands_logo() -> None:
    recipient = msgspec.structs.replace(sample_recipient("en"), brand_name="Reseller & Co")
    kind = MAIL.kinds["welcome"]
    mail = render(kind, recipient, kind.sample_facts, YELLOW, {})
    assert "<img" not in mail.html
    assert "Reseller &amp; Co" in mail.html


def test_without_branding_the_tokens_colors_are_used() -> None:
    kind = MAIL.kinds["welcome"]
    html = render(kind, sample_recipient("en"), kind.sample_facts, BRAND, {}).html
    assert set(re.findall(r"#[0-9a-f]{6}\b", html)) <= {*colors("light").values(), *colors("dark").values()}


@pytest.mark.parametrize("kind", list(MAIL.kinds))
def test_every_kind_can_be_previewed(kind: str) -> None:
    mail = preview(MAIL.kinds[kind], "en", BRAND, {}, "https://service.example")
    assert mail.subject
    assert mail.text
    assert "<h1" in mail.html
