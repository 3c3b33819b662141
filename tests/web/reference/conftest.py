"""A real service with demo data, behind https, against which the examples of the reference run."""

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import msgspec
import pytest

from sitewright.web.reference.examples.languages import FILE
from tests.support.receiver import open_receiver
from tests.support.service import Service, running_service
from tests.support.tls_relay import https_in_front_of
from tests.web.reference.preparation import EXAMPLES, Preparation, picture
from tests.web.reference.runners import BY_KEY, environment, run, status_of


class ExampleRun(msgspec.Struct, frozen=True):
    """Runs the examples of a language against a real service, through https."""

    service: Service
    client: httpx.AsyncClient
    hook_url: str
    variables: dict[str, str]
    folder: Path

    async def statuses(self, key: str) -> dict[str, str]:
        preparation = Preparation(self.client, self.service.demo, self.hook_url)
        codes = {
            operation.id: BY_KEY[key].render(await preparation.request(operation)) for operation in EXAMPLES.values()
        }
        outputs = await self.run(key, codes)
        return {name: status_of(key, outputs.get(name, "")) for name in codes}

    async def run(self, key: str, codes: dict[str, str]) -> dict[str, str]:
        """The output of each piece of code, by name."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        (folder / FILE).write_bytes(picture())
        return await run(key, codes, folder, self.variables)


@pytest.fixture(scope="package")
async def examples(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ExampleRun]:
    folder = tmp_path_factory.mktemp("examples")
    settings = {"trusted_proxies": "127.0.0.1", "workers": 1, "edge_processes": 1}
    async with (
        running_service(folder / "var", **settings) as service,
        https_in_front_of(int(str(service.settings["api_port"])), folder) as (url, authorities),
        open_receiver() as receiver,
        service.client() as client,
    ):
        client.headers["x-forwarded-proto"] = "https"
        yield ExampleRun(service, client, receiver.url, environment(url, service.demo, authorities), folder)
