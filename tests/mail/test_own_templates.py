"""A brand's own words: in place of ours, over the same facts, in a sandbox."""

from typing import Any

import pytest

from sitewright.app import MAIL
from sitewright.kit.mail.rendering import OwnTemplates, Rendered, render
from sitewright.kit.mail.samples import BRAND, sample_recipient
from sitewright.kit.mail.sending import send_due_mails
from sitewright.kit.mail.store import OwnTemplate
from sitewright.kit.resources import Resources
from tests.mail.conftest import Put, sender
from tests.mail.post_office import PostOffice
from tests.support.users import OwnerConnection

SHIPPED = "Welcome to Example"
EVERYTHING = "{{ firstName }} {{ lastName }} {{ username }} {{ email }} {{ brandName }} {{ contact }} {{ helpUrl }}"


def words(subject: str = "Own", text: str = "Own text", html: str | None = None) -> OwnTemplate:
    return OwnTemplate(subject, text, html)


def rendered(name: str, language: str, facts: dict[str, Any] | None, own: OwnTemplates) -> Rendered:
    kind = MAIL.kinds[name]
    return render(kind, sample_recipient(language), kind.sample_facts if facts is None else facts, BRAND, own)


async def test_they_replace_ours_for_that_kind_and_language(
    resources: Resources, post_office: PostOffice, put: Put, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "insert into mail_templates values (1, 'de', 'welcome', 'Servus {{ firstName }}', 'Grüß Gott!', null),"
        " (2, 'en', 'welcome', 'Another brand''s', 'Not this', null)"
    )
    await put("ann", "renewed", language_code="de")
    await put("bob", language_code="de", first_name="Bob")
    await put("cid", language_code="en")
    await send_due_mails(sender(resources, post_office))
    arrived = {each.recipient.partition("@")[0]: each for each in post_office.arrived}
    assert arrived["bob"].message["Subject"] == "Servus Bob"
    assert arrived["bob"].part("plain").splitlines() == ["Grüß Gott!"]
    assert "Grüß Gott!" in arrived["bob"].part("html")
    assert arrived["ann"].message["Subject"] == "Ihr Paket wurde verlängert"
    assert arrived["cid"].message["Subject"] == "Welcome to Northwind Hosting"


def test_they_know_the_account_holder_the_brand_and_the_facts() -> None:
    own = {("en", "renewed"): words(EVERYTHING, "{{ package }} {{ amount }} {{ nextAt }} {{ months }} {{ period }}")}
    mail = rendered("renewed", "en", None, own)
    assert mail.subject == "Ann Example ann ann@example.com Example support@example.com https://example.com/help"
    assert mail.text == "Pro €99.00 February 28, 2031 12 12 months\n"


def test_text_alone_gets_the_layout_of_all_mails() -> None:
    own = {
        ("en", "welcome"): words(text="Dear {{ firstName }},\nwelcome.\n\nhttps://example.com/a?b=1&c=2\n\n<b>Bye</b>")
    }
    html = rendered("welcome", "en", {}, own).html
    assert "Dear Ann,<br>welcome.</p>" in html
    assert 'href="https://example.com/a?b=1&amp;c=2"' in html
    assert "&lt;b&gt;Bye&lt;/b&gt;" in html
    assert "max-width:560px" in html


def test_html_is_taken_as_it_is_and_what_stands_in_it_is_escaped() -> None:
    own = {("en", "welcome"): words(html="<b>{{ package }}</b>")}
    assert rendered("welcome", "en", {"package": "<i>"}, own).html == "<b>&lt;i&gt;</b>"


def test_a_language_of_the_brands_alone() -> None:
    own = {("no", "welcome"): words("Hei"), ("ar", "welcome"): words("مرحبا")}
    assert rendered("welcome", "no", {}, own).subject == "Hei"
    assert '<html lang="ar" dir="rtl">' in rendered("welcome", "ar", {}, own).html
    assert rendered("renewed", "no", {}, own).language == "en"


def test_a_missing_fact_is_nothing() -> None:
    own = {("en", "welcome"): words(text="[{{ nobody.said.that }}{% if months %}x{% endif %}]")}
    assert rendered("welcome", "en", {}, own).text == "[]\n"


@pytest.mark.parametrize(
    "source",
    [
        "{{ 1 / 0 }}",
        "{{ months > 3 }}",
        "{{ ''.__class__() }}",
        "{% include '/etc/passwd' %}",
        "{{ firstName | nothing }}",
        "{% if %}",
    ],
)
def test_own_words_that_fail_give_way_to_ours(source: str, caplog: pytest.LogCaptureFixture) -> None:
    for own in (words(text=source), words(subject=source), words(html=source)):
        assert rendered("welcome", "en", {}, {("en", "welcome"): own}).subject == SHIPPED
    assert "the brand's own template failed: brand 1, en, welcome" in caplog.text


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ firstName.__init__.__globals__ }}",
        "{{ self.__init__.__globals__ }}",
        "{{ self._TemplateReference__context }}",
        "{{ (firstName | attr('__class__')).__base__ }}",
        "{{ '%s' | format(firstName.__class__) }}",
        "{{ '{0.__class__.__mro__}'.format(firstName) }}",
        "{{ links.append.__self__.__class__ }}",
        "{{ range(10) }}{{ lipsum.__globals__ }}{{ cycler.__init__ }}{{ namespace() }}",
        "{{ config }}{{ settings }}{{ resources }}{{ sealer }}{{ environment }}",
        "{% set x = links.append(1) %}",
        "{% import 'mail.html' as m %}{{ m.__class__ }}",
    ],
)
def test_nothing_gets_out_of_the_sandbox(source: str) -> None:
    own = {("en", "welcome"): words(text=f"<{source}>")}
    text = rendered("welcome", "en", {}, own).text
    for told in ("class", "object", "function", "module", "globals", "settings", "Context"):
        assert told not in text
