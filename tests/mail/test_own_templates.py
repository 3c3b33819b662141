"""A brand's own templates: instead of the default texts, with the same facts, in a sandbox."""

from typing import Any

import pytest

from sitewright.features import MAIL
from sitewright.kit.mail.rendering import OwnTemplates, Rendered, render
from sitewright.kit.mail.samples import BRAND, sample_recipient
from sitewright.kit.mail.store import OwnTemplate
from sitewright.kit.resources import Resources
from tests.mail.conftest import Enqueue, sender
from tests.mail.smtp_server import SmtpServer
from tests.support.due_mails import send_due_mails
from tests.support.users import OwnerConnection

DEFAULT_SUBJECT = "Welcome to Example"
EVERYTHING = "{{ firstName }} {{ lastName }} {{ username }} {{ email }} {{ brandName }} {{ contact }} {{ helpUrl }}"


def own_template(subject: str = "Own", text: str = "Own text", html: str | None = None) -> OwnTemplate:
    return OwnTemplate(subject, text, html)


def rendered(name: str, language: str, facts: dict[str, Any] | None, own: OwnTemplates) -> Rendered:
    kind = MAIL.kinds[name]
    return render(kind, sample_recipient(language), kind.sample_facts if facts is None else facts, BRAND, own)


async def test_own_templates_replace_the_default_for_their_kind_and_language(
    resources: Resources, smtp_server: SmtpServer, enqueue: Enqueue, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute(
        "insert into mail_templates values (1, 'de', 'welcome', 'Servus {{ firstName }}', 'Grüß Gott!', null),"
        " (2, 'en', 'welcome', 'Another brand''s', 'Not this', null)"
    )
    await enqueue("ann", "renewed", language_code="de")
    await enqueue("bob", language_code="de", first_name="Bob")
    await enqueue("cid", language_code="en")
    await send_due_mails(sender(resources, smtp_server))
    arrived = {each.recipient.partition("@")[0]: each for each in smtp_server.arrived}
    assert arrived["bob"].message["Subject"] == "Servus Bob"
    assert arrived["bob"].part("plain").splitlines() == ["Grüß Gott!"]
    assert "Grüß Gott!" in arrived["bob"].part("html")
    assert arrived["ann"].message["Subject"] == "Ihr Paket wurde verlängert"
    assert arrived["cid"].message["Subject"] == "Welcome to Northwind Hosting"


def test_own_templates_have_variables_of_account_holder_brand_and_facts() -> None:
    own = {
        ("en", "renewed"): own_template(EVERYTHING, "{{ package }} {{ amount }} {{ nextAt }} {{ months }} {{ period }}")
    }
    mail = rendered("renewed", "en", None, own)
    assert mail.subject == "Ann Example ann ann@example.com Example support@example.com https://example.com/help"
    assert mail.text == "Pro €99.00 February 28, 2031 12 12 months\n"


def test_a_template_without_html_uses_the_default_layout() -> None:
    own = {
        ("en", "welcome"): own_template(
            text="Dear {{ firstName }},\nwelcome.\n\nhttps://example.com/a?b=1&c=2\n\n<b>Bye</b>"
        )
    }
    html = rendered("welcome", "en", {}, own).html
    assert "Dear Ann,<br>welcome.</p>" in html
    assert 'href="https://example.com/a?b=1&amp;c=2"' in html
    assert "&lt;b&gt;Bye&lt;/b&gt;" in html
    assert "max-width:560px" in html


def test_html_is_used_as_it_is_with_escaped_variables() -> None:
    own = {("en", "welcome"): own_template(html="<b>{{ package }}</b>")}
    assert rendered("welcome", "en", {"package": "<i>"}, own).html == "<b>&lt;i&gt;</b>"


def test_a_language_without_default_texts() -> None:
    own = {("no", "welcome"): own_template("Hei"), ("ar", "welcome"): own_template("مرحبا")}
    assert rendered("welcome", "no", {}, own).subject == "Hei"
    assert '<html lang="ar" dir="rtl">' in rendered("welcome", "ar", {}, own).html
    assert rendered("renewed", "no", {}, own).language == "en"


def test_a_missing_fact_renders_as_nothing() -> None:
    own = {("en", "welcome"): own_template(text="[{{ nobody.said.that }}{% if months %}x{% endif %}]")}
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
def test_the_default_texts_are_used_when_an_own_template_fails(source: str, caplog: pytest.LogCaptureFixture) -> None:
    for own in (own_template(text=source), own_template(subject=source), own_template(html=source)):
        assert rendered("welcome", "en", {}, {("en", "welcome"): own}).subject == DEFAULT_SUBJECT
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
def test_templates_cannot_escape_the_sandbox(source: str) -> None:
    own = {("en", "welcome"): own_template(text=f"<{source}>")}
    text = rendered("welcome", "en", {}, own).text
    for leaked in ("class", "object", "function", "module", "globals", "settings", "Context"):
        assert leaked not in text
