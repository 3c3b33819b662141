"""`sitewright call` says what to do when it cannot send a request."""

from pathlib import Path

import msgspec

from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.service import free_port, run_command

CREDENTIALS = OAuthCredentials("key", "secret", "token", "token secret")


async def test_without_a_response_the_address_is_to_be_checked(tmp_path: Path) -> None:
    url, credentials = f"http://127.0.0.1:{free_port()}", msgspec.json.encode(CREDENTIALS).decode()
    code, output = await run_command(tmp_path, "call", "GET", "/users", f"--credentials={credentials}", f"--url={url}")
    assert (code, f"No response from {url}" in output) == (1, True), output
    assert "Check that the API runs there, or give --url." in output


async def test_without_credentials_the_demo_has_them(tmp_path: Path) -> None:
    code, output = await run_command(tmp_path, "call", "GET", "/users")
    assert (code, "start the demo with: sitewright serve --demo" in output) == (2, True), output
