"""A real service with demo data, behind https, against which the examples of the reference run."""

import ssl
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from sitewright.tenants.credentials.service import OAuthCredentials
from sitewright.web.reference.examples.languages import FILE
from tests.support.cast import SignedBy
from tests.support.http_clients import http_client
from tests.support.receiver import open_receiver
from tests.support.service import Service, owner_of, run_command, running_service
from tests.support.tls_relay import https_in_front_of
from tests.web.reference.preparation import EXAMPLES, Preparation, picture
from tests.web.reference.runners import BY_KEY, environment, run, status_of

WITH_PASSWORD = {"shell"}
"""Languages whose examples use HTTP Basic; the others sign."""


DNS: dict[str, object] = {
    "dns_provider": "rfc2136",
    "rfc2136_server": "127.0.0.1:9",
    "rfc2136_key_name": "examples",
    "rfc2136_key": "ZXhhbXBsZXM=",
    "dns_nameservers": "ns1.example.com",
    "site_addresses": "127.0.0.1",
}
"""Records are stored although no name server has them."""


class ExampleRun(msgspec.Struct, frozen=True):
    """Runs the examples of a language against a real service, through https."""

    service: Service
    signing: httpx.AsyncClient
    with_password: httpx.AsyncClient
    hook_url: str
    variables: dict[str, str]
    folder: Path

    async def statuses(self, key: str) -> dict[str, str]:
        preparation = Preparation(self._same_caller(key), self.service.demo, self.hook_url)
        codes = {
            operation.id: BY_KEY[key].render(await preparation.request(operation)) for operation in EXAMPLES.values()
        }
        outputs = await self.run(key, codes)
        return {name: status_of(key, outputs.get(name, "")) for name in codes}

    def _same_caller(self, key: str) -> httpx.AsyncClient:
        """Prepares as the caller whose examples run: only one's own changes can be undone."""
        return self.with_password if key in WITH_PASSWORD else self.signing

    async def run(self, key: str, codes: dict[str, str]) -> dict[str, str]:
        """The output of each piece of code, by name."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        (folder / FILE).write_bytes(picture())
        return await run(key, codes, folder, self.variables)


@pytest.fixture(scope="package")
async def examples(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ExampleRun]:
    folder = tmp_path_factory.mktemp("examples")
    settings: dict[str, object] = {"trusted_proxies": "127.0.0.1", "workers": 1, "edge_processes": 1} | DNS
    async with (
        running_service(folder / "var", **settings) as service,
        https_in_front_of(int(str(service.settings["api_port"])), folder) as (url, authorities),
        open_receiver() as receiver,
        _client(url, authorities, _signature(service.demo)) as signing,
        _client(url, authorities, _password(service.demo)) as with_password,
    ):
        await _add_operators(folder / "var", settings)
        async with owner_of(service) as owner:  # for the examples that read and move the clock of the brand
            await owner.execute("update brands set test_mode = true where brand_ref = 1")
        yield ExampleRun(
            service, signing, with_password, receiver.url, environment(url, service.demo, authorities), folder
        )


async def _add_operators(data_dir: Path, settings: dict[str, object]) -> None:
    """For the examples that remove one, in each language."""
    for number in range(len(BY_KEY)):
        options = ("--operator", f"viewer-{number}", "--brand", "1", "--role", "viewer")
        code, output = await run_command(data_dir, "credentials", "create", *options, **settings)
        assert code == 0, output


def _client(url: str, authorities: Path, auth: httpx.Auth) -> httpx.AsyncClient:
    return http_client(url, auth=auth, verify=ssl.create_default_context(cafile=str(authorities)))


def _signature(demo: dict[str, Any]) -> httpx.Auth:
    names = ("consumerKey", "consumerSecret", "accessToken", "accessSecret")
    return SignedBy(OAuthCredentials(*(demo["brands"][0]["oauth"][name] for name in names)))


def _password(demo: dict[str, Any]) -> httpx.Auth:
    basic = demo["brands"][0]["basic"]
    return httpx.BasicAuth(basic["username"], basic["password"])
