"""Every example of the reference is run, in every language, and gets the status that its operation declares.

An operation that fails here needs an entry in `sitewright/web/reference/examples/declared.py`: a body that works, calls
that precede it, or where its refs come from.
"""

import re
from pathlib import Path

import pytest

from sitewright.web.reference.examples.languages import LANGUAGES, SNIPPETS
from sitewright.web.reference.examples.request import example_request, sources_of
from tests.support.cast import Cast
from tests.support.http_clients import http_client
from tests.web.reference.conftest import ExampleRun
from tests.web.reference.preparation import EXAMPLES, METRICS, OPERATIONS
from tests.web.reference.runners import BY_KEY, run, status_of

NEEDS_DEBIAN = {"php", "node"}
CHOSEN_BY_CALLER = {"user", "staticWidgetId", "name", "domain", "file", "job", "brandRef", "externalId", "purpose"}
"""Path parameters that need no source: names of the caller's choice, and the brand that the credentials belong to."""


def each_of(*keys: str) -> pytest.MarkDecorator:
    marked = [pytest.param(key, marks=pytest.mark.system) if key in NEEDS_DEBIAN else key for key in keys]
    return pytest.mark.parametrize("language", marked)


@each_of("python", "shell", "php", "node")
async def test_every_example_gets_its_declared_status(language: str, examples: ExampleRun) -> None:
    statuses = await examples.statuses(language)
    assert statuses == {operation.id: str(operation.status) for operation in EXAMPLES.values()}


@each_of("python", "shell", "php", "node")
async def test_the_first_site_is_published(language: str, examples: ExampleRun) -> None:
    outputs = await examples.run(language, {"first_site": BY_KEY[language].first_site})
    [name] = re.findall(r"^published: (bakery-\w+\.northwind\.example)$", outputs["first_site"], re.MULTILINE)
    async with http_client(examples.service.site_url) as visitor:
        page = await visitor.get("/", headers={"host": name})
    assert "Bread since 1911" in page.text


async def test_all_pages_of_a_list_are_read(examples: ExampleRun) -> None:
    outputs = await examples.run("python", {"all_pages": BY_KEY["python"].snippet("all_pages")})
    async with examples.service.client() as client:
        users = (await client.get("/users?limit=1000")).json()["accountHolders"]
    assert outputs["all_pages"].split() == [word for user in users for word in (str(user["ref"]), user["username"])]


@each_of("shell")
async def test_the_client_of_the_shell_signs(language: str, examples: ExampleRun) -> None:
    """The examples with curl use HTTP Basic, so its client is not used in them."""
    code = ". ./sitewright_api.sh\nsitewright_call GET '/users?username=caf%C3%A9+%26&limit=2' --include\n"
    outputs = await examples.run(language, {"signed": code})
    assert status_of(language, outputs["signed"]) == "200"


@each_of("python", "shell", "php", "node")
async def test_metrics_are_open_on_the_same_machine(
    language: str, base_url: str, cast: Cast, clean: None, tmp_path: Path
) -> None:
    names = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_SECRET")
    strings = {f"SITEWRIGHT_{name}": str(getattr(cast.owner, name.lower())) for name in names}
    variables = strings | {"SITEWRIGHT_URL": base_url, "CURL_CA_BUNDLE": "", "NO_PROXY": "*", "PATH": "/usr/bin:/bin"}
    code = BY_KEY[language].render(example_request(OPERATIONS[METRICS], {}))
    outputs = await run(language, {METRICS: code}, tmp_path, variables)
    assert status_of(language, outputs[METRICS]) == "200"


@pytest.mark.parametrize("operation_id", EXAMPLES)
def test_every_ref_of_a_path_has_a_source(operation_id: str) -> None:
    """The page of the operation says where to get it."""
    operation = OPERATIONS[operation_id]
    known = sources_of(operation, OPERATIONS).keys() | CHOSEN_BY_CALLER
    assert set(operation.path_names) <= known, "declare the source in examples/declared.py"


def test_every_snippet_belongs_to_a_language() -> None:
    names = {path.stem.rpartition("_")[2] for path in SNIPPETS.iterdir()}
    assert names == {language.key for language in LANGUAGES}
