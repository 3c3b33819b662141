"""Tenants' templates in the data folder: sandboxed, in a child process with resource limits."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit.resources import Resources
from sitewright.sites.publishing import sandboxed_renderer
from sitewright.sites.publishing.designs import folder_of
from sitewright.sites.publishing.errors import TemplateFailed
from sitewright.sites.publishing.prestarted_processes import PrestartedProcesses
from sitewright.sites.publishing.render_input import DesignChoice
from sitewright.sites.publishing.sandboxed_renderer import RenderRequest
from tests.sites.publishing.conftest import Stage
from tests.sites.publishing.pages import Document, input_with, page, source_of
from tests.support.responses import problem_in

ABOUT = """
name: Own
description: A tenant's.
colours: [{ref: 1, name: One, values: {accent: "#123456", on-accent: "#ffffff"}}]
fonts: [{ref: 1, name: One, values: {body: serif}}]
"""
ESCAPES = [
    "{{ ''.__class__.__mro__ }}",
    "{{ part.__globals__ }}",
    "{{ self.__init__.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ business.__class__ }}",
    "{{ ''['__class__'] }}",
    "{{ ''|attr('__class__') }}",
    "{{ '{0.__class__}'.format(business) }}",
    "{{ lipsum.__globals__ }}",
    "{% include '/etc/passwd' %}",
    "{% include '../secret.html' %}",
    "{% include 'link.html' %}",
    "{% extends '../../etc/passwd' %}",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = tmp_path / "own"
    own.mkdir()
    (own / "template.yaml").write_text(ABOUT)
    (own / "style.css").write_text("body{color:red}")
    (tmp_path / "secret.html").write_text("SECRET-WORDS")
    (own / "link.html").symlink_to(tmp_path / "secret.html")
    return own


def shown(folder: Path, page_html: str) -> str:
    """The home page in a template with this `page.html`, or its error; in this process, without resource limits."""
    (folder / "page.html").write_text(page_html)
    result = sandboxed_renderer.render(RenderRequest(str(folder), source_of(input_with(page())), "page"))
    return result.page.decode() or result.template_error


def shown_by_child(folder: Path, page_html: str) -> str:
    (folder / "page.html").write_text(page_html)
    try:
        result = sandboxed_renderer.render_in_child(RenderRequest(str(folder), source_of(input_with(page())), "page"))
    except TemplateFailed as failed:
        return failed.detail
    return result.page.decode() if result.problem is None else result.problem.detail


def test_a_template_may_extend_the_shared_base(folder: Path) -> None:
    own = "{% block hero %}<h1>{{ business.name }} &amp; own</h1>{% endblock %}"
    document = Document(shown(folder, '{% extends "base.html" %}' + own))
    assert document.text("h1") == "Kettle & own"
    assert "body{color:red}" in document.text("style")


def test_a_template_may_be_self_contained(folder: Path) -> None:
    html = "<h1>{{ page.heading }}</h1>{{ '<b>' }}"
    assert shown(folder, html) == shown_by_child(folder, html) == "<h1>Kettle</h1>&lt;b&gt;"


@pytest.mark.parametrize("escape", ESCAPES)
def test_the_sandbox_cannot_be_escaped(folder: Path, escape: str) -> None:
    out = shown(folder, f"[{escape}]")
    for sign in ("SECRET-WORDS", "root:", "uid=", "<class", "&lt;class", "{'", "{&#39;"):
        assert sign not in out


def test_the_context_is_immutable(folder: Path) -> None:
    assert "SecurityError" in shown(folder, "{{ navigation.append(1) }}")


@pytest.mark.parametrize(
    "greedy",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 'x' * 10**10 }}",
        "{{ 9 ** (9 ** (9 ** 9)) }}",
        "{% set n = namespace(x='x' * 1000) %}{% for a in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    ],
)
def test_a_template_that_exceeds_its_limits_is_killed(
    folder: Path, greedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxed_renderer, "WALL_SECONDS", 4)
    out = shown_by_child(folder, greedy)
    assert out.startswith(("The template takes too", "The template has an error"))


@pytest.mark.parametrize(
    ("page_html", "words"),
    [
        ("{% if %}", "TemplateSyntaxError, line 1"),
        ("\n{{ nothing.at.all }}", "UndefinedError"),
        ("{% extends 'nothing.html' %}", "TemplateNotFound"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
    ],
)
def test_an_error_is_named(folder: Path, page_html: str, words: str) -> None:
    assert words in shown(folder, page_html)


@pytest.mark.parametrize("about", ["", "[]", "name: x", "{", ABOUT.partition("fonts:")[0] + "fonts: []"])
def test_a_folder_that_is_not_a_template_is_an_error(folder: Path, about: str) -> None:
    (folder / "template.yaml").write_text(about)
    assert "Error" in shown(folder, "x")


def test_a_style_outside_of_the_folder_is_an_error(folder: Path) -> None:
    (folder / "style.css").unlink()
    (folder / "style.css").symlink_to(folder.parent / "secret.html")
    assert "leads out of the template" in shown(folder, "x")


@pytest.fixture
def installed(resources: Resources) -> Iterator[Path]:
    """A template in the service's data folder."""
    own = resources.settings.data_path / "templates" / "bespoke"
    own.mkdir(parents=True)
    (own / "template.yaml").write_text(ABOUT)
    (own / "page.html").write_text("<!doctype html><title>x</title><h1>bespoke {{ page.heading }}</h1>")
    yield own
    for file in own.iterdir():
        file.unlink()
    own.rmdir()


async def use_bespoke(stage: Stage) -> None:
    ref = await stage.rows.fetchval(
        "insert into templates (brand_ref, name, directory, thumbnail, font_swatch_ref, color_swatch_ref, updated_at)"
        " values (1, 'Own', 'bespoke', '', 1, 1, now()) returning ref"
    )
    await stage.rows.execute("update sites set template_ref = $1", ref)


async def test_a_brands_own_template_is_published(stage: Stage, installed: Path) -> None:
    await use_bespoke(stage)
    await stage.page()
    await stage.publish()
    assert "<h1>bespoke Home</h1>" in await stage.shown()
    assert await stage.rows.fetchval("select template from site_versions") == "bespoke"


async def test_a_template_error_keeps_the_published_version(stage: Stage, installed: Path) -> None:
    await use_bespoke(stage)
    await stage.publish()
    (installed / "page.html").write_text("{% if %}")
    response = await stage.client.post(f"{stage.path}/publish")
    assert problem_in(response) == (409, "templateFailed")
    assert "TemplateSyntaxError, line 1" in response.json()["detail"]
    assert (await stage.versions(), len(await stage.events())) == ([1], 1)


async def test_a_site_with_a_template_error_can_be_reset(stage: Stage, installed: Path) -> None:
    await use_bespoke(stage)
    await stage.publish()
    (installed / "page.html").write_text("{% if %}")
    assert (await stage.client.post(f"{stage.path}/reset")).status_code == 204
    assert "<h1>Welcome</h1>" in await stage.shown()


def test_the_child_does_not_inherit_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEWRIGHT_MASTER_KEY", "secret")
    processes = PrestartedProcesses(["/usr/bin/env"])
    with processes.child() as child:
        output, _ = child.communicate()
    processes.close()
    assert {line.partition("=")[0] for line in output.decode().splitlines()} == {"PATH", "LANG"}


def test_a_spare_child_is_used_once_and_a_dead_one_is_replaced() -> None:
    processes = PrestartedProcesses([sys.executable, "-I", "-c", "import sys; sys.stdout.write(sys.stdin.read())"])
    seen = []
    for words in (b"one", b"two", b"three"):
        with processes.child() as child:
            assert child.communicate(words)[0] == words
            seen.append(child.pid)
        if words == b"two":
            processes._waiting.get().communicate()
    processes.close()
    assert len(set(seen)) == 3


def test_a_spare_child_that_cannot_be_started_does_not_fail_the_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    program = tmp_path / "program"
    program.symlink_to("/bin/cat")
    processes = PrestartedProcesses([str(program)])
    with processes.child() as child:
        program.unlink()
        assert child.communicate(b"done")[0] == b"done"
    assert "no spare child process could be started" in caplog.text
    program.symlink_to("/bin/cat")
    with processes.child() as child:
        assert child.communicate(b"again")[0] == b"again"
    processes.close()


def test_a_private_template_is_found_in_the_data_folder(folder: Path) -> None:
    assert folder_of(DesignChoice(directory="own", is_private=True), folder.parent) == folder
