"""A brand's mail sender and mail templates from the catalogue file."""

import pytest

from sitewright.catalogue.file import service
from tests.catalogue.file.test_apply import apply
from tests.catalogue.file.test_invalid_files import BASE, errors
from tests.support.users import OwnerConnection

MAIL_SETTINGS = """\
  mailSender: Northwind <hello@northwind.example>
  mailTemplates:
  - kind: welcome
    language: de
    subject: Servus {{ firstName }}
    text: |
      Grüß Gott, {{ firstName }}!

      {% if loginUrl %}{{ loginUrl }}{% endif %}
  - kind: renewed
    language: en
    subject: "{{ package }} goes on"
    text: Until {{ nextAt }}, for {{ amount }}.
    html: <p>Until {{ nextAt }}</p>
"""
PLACE = "  contact: support@northwind.example\n"


async def with_mail_settings(owner_connection: OwnerConnection, settings: str = MAIL_SETTINGS) -> str:
    return (await service.export(owner_connection)).replace(PLACE, PLACE + settings, 1)


async def test_sender_and_templates_are_shown_applied_and_exported(
    owner_connection: OwnerConnection, clean: None
) -> None:
    [change] = await apply(owner_connection, await with_mail_settings(owner_connection))
    assert change.startswith("change brand Northwind Hosting mailSender None -> Northwind <hello@northwind.example>,")
    assert "mailTemplates.de.welcome None -> Servus {{ firstName }} (text " in change
    assert "mailTemplates.en.renewed None -> {{ package }} goes on (text " in change
    rows = await owner_connection.fetch("select * from mail_templates order by kind")
    assert [tuple(row)[:4] for row in rows] == [
        (1, "en", "renewed", "{{ package }} goes on"), (1, "de", "welcome", "Servus {{ firstName }}"),
    ]  # fmt: skip
    assert [row["html"] for row in rows] == ["<p>Until {{ nextAt }}</p>", None]
    text = await service.export(owner_connection)
    assert "    text: |\n      Grüß Gott, {{ firstName }}!\n\n      {% if loginUrl %}" in text
    assert await apply(owner_connection, text) == []


async def test_a_changed_text_is_detected_and_applied(owner_connection: OwnerConnection, clean: None) -> None:
    await apply(owner_connection, await with_mail_settings(owner_connection))
    text = await service.export(owner_connection)
    [change] = await apply(owner_connection, text.replace("Grüß Gott", "Guten Tag"))
    assert change.startswith("change brand Northwind Hosting mailTemplates.de.welcome Servus {{ firstName }} (text ")
    assert "Guten Tag" in await owner_connection.fetchval("select text from mail_templates where language_code = 'de'")


async def test_templates_missing_in_the_file_are_removed(owner_connection: OwnerConnection, clean: None) -> None:
    before = await service.export(owner_connection)
    await apply(owner_connection, await with_mail_settings(owner_connection))
    assert len(await apply(owner_connection, before)) == 1
    assert await owner_connection.fetchval("select count(*) from mail_templates") == 0
    assert await owner_connection.fetchval("select mail_sender from brands where brand_ref = 1") is None


async def faults_with(owner_connection: OwnerConnection, field: str) -> list[str]:
    """On line 9 of a small catalogue."""
    return await errors(owner_connection, BASE.replace("languages: [en]", f"languages: [en]\n    {field}", 1))


@pytest.mark.parametrize("sender", ["nobody", "'a@b.example, c@d.example'", "a@localhost", "Ann a@b.example"])
async def test_an_invalid_sender(owner_connection: OwnerConnection, clean: None, sender: str) -> None:
    found = await faults_with(owner_connection, f"mailSender: {sender}")
    assert found == ["line 9: brands[0].mailSender: must be an address, or Name <address>"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "wellcome"}, "kind: must be one of "),
        ({"language": "de"}, "language: there is no language of this brand de"),
        ({"text": ""}, "text: is required"),
        ({"body": "x"}, "body: there is no such field"),
        ({"subject": "[x]"}, "subject: must be text"),
        ({"subject": "'{{ x'"}, "subject: not a Jinja template: unexpected end of template"),
        ({"text": "'{% if x %}'"}, "text: not a Jinja template"),
        ({"html": "'{{ x | shout }}'"}, "html: not a Jinja template: No filter named 'shout'"),
        ({"text": "'{{ 1 / 0 }}'"}, "text: fails on an example: ZeroDivisionError"),
    ],
)
async def test_one_error(owner_connection: OwnerConnection, clean: None, changes: dict[str, str], message: str) -> None:
    fields = {"kind": "welcome", "language": "en", "subject": "Hi", "text": "Hello"} | changes
    written = ", ".join(f"{name}: {value}" for name, value in fields.items() if value)
    [found] = await faults_with(owner_connection, f"mailTemplates: [{{{written}}}]")
    assert found.startswith(f"line 9: brands[0].mailTemplates[0].{message}")


async def test_duplicate_templates(owner_connection: OwnerConnection, clean: None) -> None:
    template = "{kind: welcome, language: en, subject: Hi, text: Hello}"
    [found] = await faults_with(owner_connection, f"mailTemplates: [{template}, {template}]")
    assert found == "line 9: brands[0].mailTemplates[1]: there already is a template of welcome in en"


async def test_an_error_inside_a_template_names_its_line(owner_connection: OwnerConnection, clean: None) -> None:
    broken = MAIL_SETTINGS.replace("{% endif %}", "{% endfor %}")
    text = await with_mail_settings(owner_connection, broken)
    line = text[: text.index("    text: |\n")].count("\n") + 1
    [found] = await errors(owner_connection, text)
    assert found.startswith(f"line {line}: brands[0].mailTemplates[0].text: not a Jinja template")
    assert "(on its line 3)" in found
