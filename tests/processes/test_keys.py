"""`sitewright keys`, while callers use the service continuously."""

import asyncio
import base64
import re
import shutil
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx
import msgspec
import pytest

from sitewright.features import SEALED_COLUMNS
from sitewright.kit import rotation
from sitewright.kit.embedded import EmbeddedPostgres
from sitewright.kit.key_file import new_key
from sitewright.kit.login_role import statements_for
from sitewright.kit.resources import Resources
from sitewright.kit.rotation import store
from sitewright.kit.sealing import Sealer, name_of
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.cast import Cast, SignedBy
from tests.support.certificates import certificate_for
from tests.support.customers import done, make_customer, new_user
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import TWO_OF_EACH, Service, run_command, running_service
from tests.support.users import OwnerConnection

HOST = "www.bakery.example"
FORMER_KEY = new_key()
FORMER_NAME = name_of(FORMER_KEY).hex()


@pytest.fixture
async def restricted_url(database_url: str, owner_connection: OwnerConnection, cast: Cast) -> AsyncIterator[str]:
    """A log-in of the tests' database to which row-level security applies."""
    await owner_connection.execute("create role restricted login password 'restricted'")
    for statement in statements_for("restricted"):
        await owner_connection.execute(statement)
    location = urlsplit(database_url).netloc.rpartition("@")[2]
    yield urlunsplit(urlsplit(database_url)._replace(netloc=f"restricted:restricted@{location}"))
    await owner_connection.execute("drop role restricted")


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    async with running_service(tmp_path_factory.mktemp("keys") / "var", **TWO_OF_EACH) as running:
        yield running


async def run(service: Service, *arguments: str) -> str:
    code, output = await run_command(service.data_dir, "keys", *arguments, **service.settings)
    assert code == 0, output
    return output


def signed(service: Service) -> httpx.AsyncClient:
    oauth = msgspec.convert(service.demo["brands"][0]["oauth"], OAuthCredentials)
    return http_client(service.api_url, auth=SignedBy(oauth))


@asynccontextmanager
async def traffic(work: Callable[[int], Awaitable[httpx.Response]]) -> AsyncIterator[list[int]]:
    """Repeat until the block ends; any failure fails the test. Returns the number of responses."""
    responses = [0]

    async def call() -> None:
        for number in count():
            response = await work(number)
            assert response.status_code < 300, response.text
            responses[0] += 1

    task = asyncio.create_task(call())
    try:
        yield responses
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        else:
            task.result()


async def test_a_rotation_reencrypts_everything_while_clients_send_requests(service: Service) -> None:
    old = Sealer(*keys_of(service)).key_name.hex()
    async with signed(service) as client, service.client() as operator:
        await make_customer(client, 1, HOST)
        issued = certificate_for(HOST)
        body = {"key": issued.key, "cert": issued.chain}

        async def create(number: int) -> httpx.Response:
            user = new_user(username=f"user {number}", email=f"user{number}@mail.example")
            return await client.post("/users", json=user, headers={"Idempotency-Key": f"user {number}"})

        async def request_reset(number: int) -> httpx.Response:
            asked = {"username": f"user {number}", "loginLink": "https://shop.example/"}
            return await client.post("/users/forgotten-password", json=asked)

        async def put(_number: int) -> httpx.Response:
            return await operator.put(f"/ssl-certs/{HOST}", json=body)

        async with traffic(create) as created, traffic(request_reset), traffic(put) as were_put:
            await eventually(lambda: min(created[0], were_put[0]) > 2)
            output = await run(service, "rotate")
            before = created[0], were_put[0]
            await eventually(lambda: created[0] > before[0] + 2 and were_put[0] > before[1] + 2)
        replayed = await create(0)
        assert replayed.headers["Idempotency-Replayed"] == "true"
        await done(client.get("/users"))
    new = keys_of(service)[0]
    assert f"Key {Sealer(new).key_name.hex()} encrypts" in output and f"sitewright keys remove {old}" in output
    assert await count_opened(service, Sealer(new)) > 3


async def test_a_former_key_is_removed_and_the_service_starts_without_it(service: Service) -> None:
    await run(service, "rotate")
    output = await run(service, "list")
    former = re.findall(r"([0-9a-f]{16}) +│ decrypts +│ 0", output)
    assert former and len(keys_of(service)) == len(former) + 1
    for name in former:
        await run(service, "remove", name)
    assert stat.S_IMODE((service.data_dir / "master.key").stat().st_mode) == 0o600
    await service.stop()
    await service.start()
    assert len(keys_of(service)) == 1
    demo_user = service.demo["brands"][0]["demoUser"]
    async with signed(service) as client, service.client() as operator:
        await done(client.get("/users"))
        await done(operator.get("/users"))
        form = {"username": demo_user["username"], "password": demo_user["password"], "brandRef": "1"}
        assert (await client.post("/login", data=form, auth=None)).status_code == 303  # type: ignore[arg-type]


async def test_a_key_in_use_is_not_removed(service: Service) -> None:
    name = Sealer(*keys_of(service)).key_name.hex()
    code, output = await run_command(service.data_dir, "keys", "remove", name, **service.settings)
    assert (code, "values are encrypted with this key" in output) == (1, True)


async def test_a_key_can_be_added_first_and_used_for_sealing_later(service: Service) -> None:
    await run(service, "add")
    first, second = keys_of(service)[0], keys_of(service)[-1]
    assert first != second
    name = Sealer(second).key_name.hex()
    assert re.search(f"{name} +│ decrypts", await run(service, "list"))
    await run(service, "rotate", "--to", name)
    assert keys_of(service)[0] == second
    assert await count_opened(service, Sealer(second)) > 3


async def test_keys_in_the_settings_can_only_be_changed_there(
    tmp_path: Path, database_url: str, resources: Resources, owner_connection: OwnerConnection, cast: Cast, clean: None
) -> None:
    old = (resources.settings.data_path / "master.key").read_text().strip()
    key = new_key()
    new = base64.b64encode(key).decode()
    code, output = await run_command(tmp_path, "keys", "rotate", database_url=database_url, master_key=old)
    assert (code, "Write the new key behind the one in use" in output) == (1, True)
    code, output = await run_command(tmp_path, "keys", "rotate", database_url=database_url, master_key=f"{new} {old}")
    assert (code, "values were re-encrypted" in output) == (0, True), output
    assert await rotation.count_others(owner_connection, Sealer(key), SEALED_COLUMNS) == 0
    assert not (tmp_path / "master.key").exists()


async def test_what_a_lost_key_encrypted_does_not_prevent_a_rotation(
    tmp_path: Path, database_url: str, resources: Resources, owner_connection: OwnerConnection, cast: Cast, clean: None
) -> None:
    """Secrets of revoked credentials, which nobody needs, do not count; a mail that waits is reported."""
    shutil.copy(resources.settings.data_path / "master.key", tmp_path / "master.key")
    lost = Sealer(new_key())
    revoked = (
        "insert into api_credentials (brand_ref, role, label, consumer_key, consumer_secret, access_token,"
        " access_secret, created_at, revoked_at) values (1, 'support', '', 'k', $1, 't', $1, now(), now())"
    )
    await owner_connection.execute(revoked, lost.seal(b"secret", "api_credentials/k/consumer"))
    code, output = await run_command(tmp_path, "keys", "rotate", database_url=database_url)
    assert (code, len(keys_in(tmp_path))) == (0, 2), output
    _, output = await run_command(tmp_path, "doctor", database_url=database_url)
    assert "Encrypted with a lost key" not in output
    mail = "insert into mails (brand_ref, kind, facts, created_at, next_attempt_at) values (1, 'a', $1, now(), now())"
    await owner_connection.execute(mail, lost.seal(b"{}", "mail/1"))
    code, output = await run_command(tmp_path, "keys", "rotate", database_url=database_url)
    assert (code, len(keys_in(tmp_path)), "mails.facts (1)" in output) == (1, 3, True), output


async def test_after_a_loss_the_command_says_what_happens_and_asks_first(
    tmp_path: Path, database_url: str, resources: Resources, owner_connection: OwnerConnection, cast: Cast, clean: None
) -> None:
    old = {
        "database_url": database_url,
        "master_key": (resources.settings.data_path / "master.key").read_text().strip(),
    }
    new = {"database_url": database_url, "master_key": base64.b64encode(new_key()).decode()}
    secret = Sealer(new_key()).seal(b"secret", "acme account/d")
    account = "insert into acme_accounts (directory, sealed_key, created_at) values ('d', $1, now())"
    await owner_connection.execute(account, secret)
    _, output = await run_command(tmp_path, "doctor", **old)
    assert "Encrypted with a lost key: acme_accounts.sealed_key (1): the service registers" in output, output
    code, output = await run_command(tmp_path, "keys", "renew", **new)
    assert (code, "acme_accounts.sealed_key" in output, "Go on?" in output) == (1, True, True), output
    assert await owner_connection.fetchval("select count(*) from acme_accounts") == 1
    code, output = await run_command(tmp_path, "keys", "renew", "--yes", **new)
    assert (code, "credentials create" in output) == (0, True), output
    assert await owner_connection.fetchval("select count(*) from acme_accounts") == 0
    audited = "select count(*) from audit_entries where action = 'renew lost values'"
    assert await owner_connection.fetchval(audited) == 1
    code, output = await run_command(tmp_path, "keys", "renew", "--yes", **new)
    assert (code, "Nothing of this is replaced by the service itself." in output) == (0, True), output
    uploaded = (
        "insert into certificates (brand_ref, domain, chain, sealed_key, key_type, names, fingerprint, not_before,"
        " not_after, created_at) values (1, 'a.example', '', $1, 'RSA', '{}', '', now(), now(), now())"
    )
    await owner_connection.execute(uploaded, secret)
    code, output = await run_command(tmp_path, "keys", "renew", "--yes", **new)
    assert (code, "upload the others again" in output, "itself." in output) == (0, True, True), output
    assert await owner_connection.fetchval(audited) == 1


async def test_renewing_makes_no_key(tmp_path: Path, database_url: str, cast: Cast) -> None:
    code, output = await run_command(tmp_path / "elsewhere", "keys", "renew", database_url=database_url)
    assert (code, "Check SITEWRIGHT_DATA_DIR" in output) == (1, True), output
    assert not (tmp_path / "elsewhere" / "master.key").exists()


@pytest.mark.parametrize("arguments", [("list",), ("renew", "--yes"), ("rotate",), ("remove", FORMER_NAME)])
async def test_a_log_in_that_does_not_own_the_tables_sees_no_secrets_and_changes_nothing(
    tmp_path: Path, restricted_url: str, arguments: tuple[str, ...]
) -> None:
    """Row-level security hides the values of all brands: they would look as if they needed no key."""
    file = tmp_path / "master.key"
    file.write_text("\n".join(base64.b64encode(key).decode() for key in (new_key(), FORMER_KEY)))
    file.chmod(0o600)
    before = file.read_text()
    code, output = await run_command(tmp_path, "keys", *arguments, database_url=restricted_url)
    assert (code, "SITEWRIGHT_OWNER_DATABASE_URL" in output) == (1, True), output
    assert file.read_text() == before


async def test_doctor_says_what_such_a_log_in_cannot_check(
    tmp_path: Path, restricted_url: str, resources: Resources
) -> None:
    key = (resources.settings.data_path / "master.key").read_text().strip()
    _, output = await run_command(tmp_path, "doctor", database_url=restricted_url, master_key=key)
    assert "not checked, since SITEWRIGHT_OWNER_DATABASE_URL is not set" in output, output


def keys_of(service: Service) -> list[bytes]:
    return keys_in(service.data_dir)


def keys_in(data_dir: Path) -> list[bytes]:
    return [base64.b64decode(line) for line in (data_dir / "master.key").read_text().split()]


async def count_opened(service: Service, sealer: Sealer) -> int:
    """Check that every encrypted value can be decrypted; returns their number."""
    server = EmbeddedPostgres.running(service.data_dir)
    assert server is not None
    owner, opened = await asyncpg.connect(server.url), 0
    try:
        for column in SEALED_COLUMNS:
            for each in await store.lock_others(owner, column, b"", 0, 1_000_000):
                sealer.unseal(each.value, column.context.format(**each.context))
                opened += 1
    finally:
        await owner.close()
    return opened
