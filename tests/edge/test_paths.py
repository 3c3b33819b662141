"""Path traversal and malformed paths: always 404, never an error."""

import pytest

from tests.edge.shops import FILES, Shop, Visitor
from tests.support.wire import status_of

MALICIOUS_PATHS = [
    "/../about",
    "/about/../about",
    "/./about",
    "/%2e%2e/about",
    "/%2e%2e%2fabout",
    "/..%2fabout",
    "/..%5cabout",
    "/..\\about",
    "/food%2fmenu",
    "/food%2Fmenu",
    "/%2fabout",
    "//about",
    "///about",
    "/%252e%252e%252fabout",
    "/%2561bout",
    "/about%00",
    "/%00",
    "/about%00.html",
    "/%c0%ae%c0%ae/about",
    "/%ff",
    "/%c3",
    "/%ed%a0%80",
    "/%",
    "/%zz",
    "/%u0061bout",
    "/:not-found",
    "/:pages",
    "/%3anot-found",
    "/%3Apages",
    "/etc/passwd",
    "/../../../../etc/passwd",
    "/.git/config",
    "/_site/../about",
    "/_site",
    "/_site/",
    "/about;jsessionid=1",
    "/about%20",
    "/about%0d%0aX-Evil:%201",
    "/about.html",
    "/*",
    "/.well-known/security.txt",
    "/.well-known/pki-validation/",
]


@pytest.mark.parametrize("target", MALICIOUS_PATHS)
async def test_malicious_paths_are_not_found(visitor: Visitor, shop: Shop, target: str) -> None:
    response = await visitor.send(target)
    assert (status_of(response), b"x-sitewright-page: not-found" in response) == (404, True)
    assert FILES[":not-found"].encode() in response
    assert b"x-evil" not in response.lower().partition(b"\r\n\r\n")[0]


@pytest.mark.parametrize(
    "target", ["//evil.example/", "//evil.example/..", "/\\evil.example/", "/%5cevil.example/", "/;/"]
)
async def test_slashes_never_redirect_to_another_host(visitor: Visitor, shop: Shop, target: str) -> None:
    assert status_of(await visitor.send(target)) == 404


@pytest.mark.parametrize(
    "target", [b"/\xff", b"/caf\xc3\xa9", b"*", b"about", b"http://", b"/a b", b"/\x00", b"/?q=\xc3\xa9\xff"]
)
async def test_an_invalid_target_is_rejected_and_the_server_continues(
    visitor: Visitor, shop: Shop, target: bytes
) -> None:
    assert status_of(await visitor.send(target)) in (400, 404)
    assert status_of(await visitor.send("/about")) == 200


async def test_the_host_header_takes_precedence_over_an_absolute_target(visitor: Visitor, shop: Shop) -> None:
    assert status_of(await visitor.send("http://other.example/about")) == 200
