"""The texts of mails: complete in every language, and robust against missing facts."""

import re
from typing import Any

import msgspec
import pytest

from sitewright.features import MAIL
from sitewright.kit.mail.rendering import Rendered, linked, render
from sitewright.kit.mail.samples import BRAND, sample_recipient
from sitewright.kit.mail.shared_texts import shared_texts
from sitewright.kit.mail_features import MailBrand
from sitewright.kit.mail_kinds import MailKind, by_name, read_text_files

KINDS = list(MAIL.kinds)
LANGUAGES = ["de", "en", "es", "fr", "pt"]
NO_CONTACT = msgspec.structs.replace(BRAND, contact=None, help_url=None)
LEFTOVERS = re.compile(r"\{\{|\}\}|\{%|%\}|None|Undefined|duration-|\bT\d\d:\d\d|<p[^>]*>\s*</p>")


def rendered(
    name: str, language: str = "en", facts: dict[str, Any] | None = None, brand: MailBrand = BRAND, **changes: Any
) -> Rendered:
    kind = MAIL.kinds[name]
    recipient = msgspec.structs.replace(sample_recipient(language), **changes)
    return render(kind, recipient, kind.sample_facts if facts is None else facts, brand, {})


@pytest.mark.parametrize("kind", MAIL.kinds.values(), ids=KINDS)
def test_there_are_five_languages(kind: MailKind) -> None:
    assert sorted(shared_texts()) == LANGUAGES
    assert sorted(read_text_files(kind.texts_folder)) == LANGUAGES


def test_every_text_belongs_to_a_declared_kind() -> None:
    folders = {kind.texts_folder for kind in MAIL.kinds.values()}
    written = [name for folder in folders for name in read_text_files(folder)["en"].kinds]
    assert sorted(written) == sorted(KINDS)


def test_no_two_kinds_have_the_same_name() -> None:
    kind = MAIL.kinds["welcome"]
    with pytest.raises(ValueError, match="same name"):
        by_name([kind, kind])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_in_every_language(kind: str, language: str) -> None:
    mail = rendered(kind, language)
    assert mail.language == language
    assert f'<html lang="{language}" dir="ltr">' in mail.html
    for part in (mail.subject, mail.text, mail.html):
        assert not LEFTOVERS.search(part), part
    for known in ("Ann", "Example", "support@example.com", "https://example.com/help"):
        assert known in mail.text
        assert known in mail.html
    assert "Pro" in mail.text or kind not in ("subscribed", "upgraded", "downgraded", "renewed", "cancelled")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["domainOrdered", "domainRenewed", "domainEnded"])
def test_a_mail_about_a_domain_names_it(kind: str, language: str) -> None:
    mail = rendered(kind, language, MAIL.kinds[kind].sample_facts | {"domain": "bücher.example"})
    assert all("bücher.example" in part for part in (mail.subject, mail.text, mail.html))


@pytest.mark.parametrize("kind", KINDS)
def test_texts_differ_between_languages(kind: str) -> None:
    assert len({rendered(kind, language).subject for language in LANGUAGES}) == 5
    assert len({rendered(kind, language).text for language in LANGUAGES}) == 5


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "facts",
    [
        {},
        dict.fromkeys(("package", "amount", "currency", "months", "nextAt", "endsAt", "links", "url")),
        {"package": 7, "amount": "a lot", "currency": 5, "months": "x", "nextAt": "soon", "endsAt": 1, "links": [1]},
        {"amount": "NaN", "currency": "EUR", "url": "javascript:alert(1)", "loginUrl": None, "unheard": {"of": [1]}},
        {"amount": "9.99", "currency": "no such", "months": -1, "endsAt": "2031-01-01"},
    ],
)  # fmt: skip
def test_missing_and_odd_facts_are_left_out(kind: str, language: str, facts: dict[str, Any]) -> None:
    mail = rendered(kind, language, facts, NO_CONTACT, first_name="")
    for part in (mail.subject, mail.text, mail.html):
        assert part.strip()
        assert not LEFTOVERS.search(part), part
    assert "javascript:" not in mail.html
    assert "<a href" not in mail.html


@pytest.mark.parametrize(
    ("language", "price", "date", "period"),
    [
        ("en", "€99.00", "February 28, 2031", "12 months"),
        ("de", "99,00 €", "28. Februar 2031", "12 Monate"),
        ("es", "99,00 €", "28 de febrero de 2031", "12 meses"),
        ("fr", "99,00 €", "28 février 2031", "12 mois"),
        ("pt", "€ 99,00", "28 de fevereiro de 2031", "12 meses"),
    ],
)
def test_amounts_and_dates_are_written_as_in_the_language(language: str, price: str, date: str, period: str) -> None:
    text = rendered("renewed", language).text.replace("\N{NO-BREAK SPACE}", " ")
    assert price in text
    assert date in text
    assert period in text


def test_dates_are_those_of_the_brands_zone() -> None:
    facts = {"package": "Trial", "endsAt": "2031-02-28T23:30:00+00:00"}
    assert "March 1, 2031" in rendered("trialEnding", "en", facts).text
    kind, odd = MAIL.kinds["trialEnding"], msgspec.structs.replace(BRAND, time_zone="Mars/Olympus")
    assert "February 28, 2031" in render(kind, sample_recipient("en"), facts, odd, {}).text


def test_one_month_is_not_months() -> None:
    assert (
        "Billing period: 1 month\n"
        in rendered("renewed", "en", MAIL.kinds["renewed"].sample_facts | {"months": 1}).text
    )


@pytest.mark.parametrize(
    ("own", "of_the_brand", "expected"),
    [
        ("pt-BR", ["de"], "pt"),
        ("pt_BR", ["de"], "pt"),
        ("fr", ["de"], "fr"),
        ("no", ["de", "fr"], "de"),
        ("no", ["de-AT"], "de"),
        ("no", ["ja"], "en"),
        ("no", [], "en"),
        (None, ["es"], "es"),
    ],
)
def test_the_language_is_the_account_holders_then_the_brands_then_english(
    own: str | None, of_the_brand: list[str], expected: str
) -> None:
    brand = msgspec.structs.replace(BRAND, language_codes=of_the_brand)
    kind = MAIL.kinds["welcome"]
    recipient = msgspec.structs.replace(sample_recipient("en"), language_code=own)
    assert render(kind, recipient, {}, brand, {}).language == expected


def test_a_mail_links_only_to_the_account_it_is_addressed_to() -> None:
    """An older release may have queued links of several accounts in one mail."""
    links = [{"username": name, "url": f"https://example.com/?h={name}"} for name in ("ann", "annie")]
    mail = rendered("passwordReset", "en", {"links": links})
    assert "User name: ann\nChoose a new password:\nhttps://example.com/?h=ann\n" in mail.text
    assert 'href="https://example.com/?h=ann"' in mail.html
    assert "annie" not in mail.text + mail.html


def test_names_are_escaped_in_html() -> None:
    mail = rendered("welcome", "en", first_name="<script>alert(1)</script>{{ 7 * 7 }}\nSecond line")
    assert "<script>" not in mail.html
    assert "&lt;script&gt;" in mail.html
    assert "{{ 7 * 7 }} Second line," in mail.text


def test_the_html_loads_no_external_resources() -> None:
    html = rendered("welcome").html
    assert not re.search(r"<(img|link|script|iframe)|url\(|src=|@import", html)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("It costs 5 < 6 & is yours.", "It costs 5 &lt; 6 &amp; is yours."),
        ("See https://help.example/a?b=1&c now",
         'See <a href="https://help.example/a?b=1&amp;c" rel="noopener">https://help.example/a?b=1&amp;c</a> now'),
        ("ask help@mail.example", 'ask <a href="mailto:help@mail.example">help@mail.example</a>'),
        ("<b>www.help.example</b>", '&lt;b&gt;www.help.example&lt;/b&gt;'),
        ("javascript:alert(1)", "javascript:alert(1)"),
    ],
)  # fmt: skip
def test_pages_and_addresses_become_links_and_nothing_else_html(text: str, html: str) -> None:
    assert linked(text) == html
