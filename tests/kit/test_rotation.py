"""Rotation re-encrypts every sealed value with the new key."""

import asyncio
from pathlib import Path

import httpx
import msgspec
import pytest

from sitewright.accounts.mailed_links.jobs import FORGOTTEN_PASSWORD, NAME, Request, SealedRequest, seal
from sitewright.accounts.users.mails import WELCOME
from sitewright.domains.dns import dkim
from sitewright.features import SEALED_COLUMNS
from sitewright.kit import clock, mail, rotation
from sitewright.kit.key_file import KeyFile, MasterKeyError, new_key
from sitewright.kit.mail import Mail
from sitewright.kit.resources import Resources
from sitewright.kit.rotation import store
from sitewright.kit.sealing import NAME_BYTES, Sealer
from sitewright.kit.signing import service as signing
from sitewright.tenants.credentials.operators import service as operators
from sitewright.tenants.credentials.second_factor import service as second_factor
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.certificates import certificate_for, make_certificate
from tests.support.users import OwnerConnection, make_user

NEW = new_key()
NOT_SEALED = {
    "audit_chain.digest",
    "audit_chain.hash",
    "audit_heads.hash",
    "audit_heads.pruned_hash",
    "console_sessions.digest",
    "content_changes.after",
    "content_changes.before",
    "preview_links.digest",
    "site_versions.content",
    "idempotent_answers.digest",
    "one_time_tokens.digest",
    "operator_invitations.digest",
    "sessions.digest",
    "site_files.body",
    "contact_messages.visitor",
    "mailbox_login_tokens.digest",
    "media_chunks.body",
    "user_reports.link_key",
    "user_report_pieces.piece",
}
"""Other columns of bytes: digests, files, and data that is of no use to a reader of the database."""


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "LOOK_AGAIN_SECONDS", 0.01)


@pytest.fixture
def sealer(resources: Resources) -> Sealer:
    """As a process that knows the session's key and a new one, which seals."""
    return Sealer(NEW, *KeyFile(resources.settings.data_path / "master.key").read())


async def fill_acme(resources: Resources, owner_connection: OwnerConnection) -> None:
    """An account, an order in progress, and a certificate of an own host name."""
    seal_value, now = resources.sealer.seal, clock.now()
    account = "insert into acme_accounts (directory, sealed_key, created_at) values ('d', $1, $2)"
    await owner_connection.execute(account, seal_value(b"key", "acme account/d"), now)
    ref = await owner_connection.fetchval(
        "insert into automatic_certificates (brand_ref, name, is_wildcard, created_at)"
        " values ($1, 'a.example', false, $2) returning ref",
        OWN_BRAND,
        now,
    )
    order = "update automatic_certificates set sealed_order_key = $1"
    await owner_connection.execute(order, seal_value(b"key", f"acme order/{OWN_BRAND}/{ref}"))
    await owner_connection.execute(
        "insert into own_certificates (name, names, chain, sealed_key, not_before, not_after)"
        " values ('own.example', '{own.example}', '', $1, $2, $2)",
        seal_value(b"key", "certificate/0/own.example"),
        now,
    )


async def make_signed_zone(owner_connection: OwnerConnection, resources: Resources, user_ref: int) -> None:
    """The zone of a domain with mail has a DKIM key."""
    ref = await make_account_domain(owner_connection, OWN_BRAND, user_ref)
    sealed = resources.sealer.seal(b"key", dkim.context(OWN_BRAND, ref))
    await owner_connection.execute(
        "insert into dns_zones (brand_ref, account_domain_ref, name, created_at, sealed_dkim_key)"
        " values ($1, $2, 'example.com', now(), $3)",
        OWN_BRAND,
        ref,
        sealed,
    )


async def fill(owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection) -> None:
    """A value in every column that is sealed."""
    body = {"event": "site.publish", "url": "https://hooks.example/", "active": True}
    response = await owner.post("/webhooks/subscription", json=body, headers={"Idempotency-Key": "one"})
    assert response.status_code == 201, response.text
    issued = certificate_for("www.example.org")
    await make_certificate(owner_connection, resources, OWN_BRAND, issued, "www.example.org")
    await fill_acme(resources, owner_connection)
    user_ref = await make_user(owner_connection, resources, OWN_BRAND)
    await make_signed_zone(owner_connection, resources, user_ref)
    request = Request(
        brand_ref=1, reseller_ref=None, username="ann", email=None, login_link="", actor="test", request_id=None
    )
    async with resources.database.transaction(OWN_BRAND) as tx:
        await signing.public_key(tx, resources.sealer, "erasures")
        [operator, *_] = await operators.list_operators(tx)
        await second_factor.begin_setup(tx, resources.sealer, TESTER, operator.ref)
        await mail.put(tx, resources.sealer, OWN_BRAND, [Mail(kind=WELCOME, user_ref=1, facts={"a": "b"})] * 3)
        await FORGOTTEN_PASSWORD.enqueue(tx, seal(resources.sealer, request))


async def test_every_bytea_column_is_listed_as_sealed_or_not_sealed(owner_connection: OwnerConnection) -> None:
    rows = await owner_connection.fetch(
        "select table_name, column_name from information_schema.columns"
        " where table_schema = 'public' and data_type = 'bytea' and table_name in"
        "  (select tablename from pg_tables where schemaname = 'public')"
    )
    there = {f"{row[0]}.{row[1]}" for row in rows}
    assert there == {str(column) for column in SEALED_COLUMNS if column.field is None} | NOT_SEALED


async def test_columns_listed_as_not_sealed_are_not(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await fill(owner, resources, owner_connection)
    for each in NOT_SEALED:
        table, _, column = each.partition(".")
        values = await owner_connection.fetch(f"select {column} from {table}")
        assert not [row for row in values if row[0][:NAME_BYTES] == resources.sealer.key_name]


async def test_every_sealed_value_opens_with_the_new_key_alone(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, sealer: Sealer
) -> None:
    await fill(owner, resources, owner_connection)
    before = await rotation.count(owner_connection, SEALED_COLUMNS)
    assert all(before.values()), "a column has no value to try it on"
    outcome = await rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS)
    assert (outcome.left, outcome.lost.total()) == (0, 0)
    assert outcome.done == sum(sum(each.values()) for each in before.values())
    alone = Sealer(NEW)
    for column in SEALED_COLUMNS:
        found = await store.lock_others(owner_connection, column, b"", 0, 1_000_000)
        assert len(found) == sum(before[column].values())
        for each in found:
            alone.unseal(each.value, column.context.format(**each.context))


async def test_a_job_can_be_read_after_the_rotation(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, sealer: Sealer
) -> None:
    await fill(owner, resources, owner_connection)
    await rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS)
    payload = await owner_connection.fetchval("select payload from jobs.queue where entrypoint = $1", NAME)
    job = msgspec.json.decode(payload, type=SealedRequest)
    assert msgspec.json.decode(Sealer(NEW).unseal(job.sealed, NAME), type=Request).username == "ann"


async def test_an_interrupted_rotation_continues_where_it_stopped(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, sealer: Sealer
) -> None:
    await fill(owner, resources, owner_connection)

    class Stopped(Exception):
        pass

    def stop(_column: object, count: int) -> None:
        if count:
            raise Stopped

    with pytest.raises(Stopped):
        await rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS, stop)
    left = await rotation.count_others(owner_connection, sealer, SEALED_COLUMNS)
    assert left > 0
    assert (await rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS)).done == left


async def test_a_locked_row_is_waited_for(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, sealer: Sealer
) -> None:
    await fill(owner, resources, owner_connection)
    async with resources.database.transaction(OWN_BRAND) as tx:
        await tx.execute("update mails set attempts = attempts + 1")
        await mail.put(tx, resources.sealer, OWN_BRAND, [Mail(kind=WELCOME, user_ref=1)])
        rotating = asyncio.create_task(rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS))
        await asyncio.sleep(0.1)
        assert not rotating.done()
    outcome = await rotating
    assert (outcome.left, await rotation.count_others(owner_connection, sealer, SEALED_COLUMNS)) == (0, 0)


async def test_values_that_no_key_opens_are_kept_and_reported(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, sealer: Sealer
) -> None:
    await fill(owner, resources, owner_connection)
    foreign = Sealer(new_key()).seal(b"{}", "mail/1")
    await owner_connection.execute("update mails set facts = $1 where ref = (select max(ref) from mails)", foreign)
    outcome = await rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS)
    assert (outcome.left, +outcome.lost) == (0, {"mails.facts": 1})
    assert await owner_connection.fetchval("select count(*) from mails where facts = $1", foreign) == 1


async def test_secrets_of_revoked_credentials_need_no_key(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, sealer: Sealer
) -> None:
    await fill(owner, resources, owner_connection)
    foreign, credential = Sealer(new_key()).seal(b"secret", "elsewhere"), "ref = (select max(ref) from api_credentials)"
    await owner_connection.execute(f"update api_credentials set consumer_secret = $1 where {credential}", foreign)
    [column, *_] = lost = await rotation.count_lost(owner_connection, sealer, SEALED_COLUMNS)
    assert (str(column), lost[column]) == ("api_credentials.consumer_secret", 1)
    _, unreadable = await rotation.check_all(owner_connection, sealer, SEALED_COLUMNS)
    assert unreadable == {str(column): 1}
    await owner_connection.execute(f"update api_credentials set revoked_at = now() where {credential}")
    assert await rotation.count_lost(owner_connection, sealer, SEALED_COLUMNS) == {}
    _, unreadable = await rotation.check_all(owner_connection, sealer, SEALED_COLUMNS)
    assert not unreadable
    outcome = await rotation.reencrypt(owner_connection, sealer, SEALED_COLUMNS)
    assert (outcome.left, outcome.lost.total()) == (0, 0)


async def test_what_only_a_lost_key_decrypts_is_made_anew_where_possible(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await fill(owner, resources, owner_connection)
    await owner_connection.execute(
        "update automatic_certificates set certificate_ref = (select max(ref) from certificates), order_url = 'o',"
        " certificate_id = 'replaced'"
    )
    group = (
        "insert into automatic_certificates (brand_ref, name, is_wildcard, created_at) values ($1, $2, false, now())"
    )
    groups = [(0, "own.example"), (0, "other.example"), (OWN_BRAND, "waiting.example")]
    await owner_connection.executemany(group, groups)
    await owner_connection.execute(
        "update automatic_certificates set failures = 4, due_at = now() + interval '1 day' where name like 'waiting%'"
    )
    await owner_connection.execute(
        "insert into own_certificates (name, names, chain, sealed_key, not_before, not_after)"
        " select 'unused.example', names, chain, sealed_key, not_before, not_after from own_certificates"
    )
    public_key = await owner_connection.fetchval("select public_key from signing_keys")
    before, alone = await rotation.count(owner_connection, SEALED_COLUMNS), Sealer(NEW)
    lost = await rotation.count_lost(owner_connection, alone, SEALED_COLUMNS)
    assert lost == {column: sum(each.values()) for column, each in before.items()}
    assert await rotation.renew_lost(owner_connection, alone, SEALED_COLUMNS) == [public_key]
    left = {str(column) for column in await rotation.count_lost(owner_connection, alone, SEALED_COLUMNS)}
    renewed = {
        "acme_accounts.sealed_key",
        "automatic_certificates.sealed_order_key",
        "dns_zones.sealed_dkim_key",
        "signing_keys.sealed_key",
    }
    assert {str(column) for column in lost} - left == renewed
    rows = await owner_connection.fetch(
        "select name, due_at <= now() due, renew_at, order_url, certificate_id from automatic_certificates"
    )
    assert {row["name"] for row in rows if row["due"]} == {"a.example", "own.example", "waiting.example"}
    assert {row["name"] for row in rows if row["renew_at"] is not None} == {"a.example", "own.example"}
    assert {(row["order_url"], row["certificate_id"]) for row in rows} == {(None, None)}
    assert await owner_connection.fetchval("select array_agg(name) from own_certificates") == ["own.example"]
    zone = await owner_connection.fetchrow("select due_at, dkim_selector from dns_zones")
    assert zone is not None and zone["due_at"] is not None and zone["dkim_selector"] is None


async def test_of_a_revoked_operator_no_second_factor_is_left(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await fill(owner, resources, owner_connection)
    [column] = [each for each in SEALED_COLUMNS if each.table == "operators"]
    former = "update operators set revoked_at = now() where second_factor is not null"
    await owner_connection.execute(former)  # as before this release, which removes it with the revocation
    await rotation.renew_lost(owner_connection, Sealer(NEW), SEALED_COLUMNS)
    assert await rotation.count_lost(owner_connection, Sealer(NEW), [column]) == {}


async def test_nothing_is_renewed_while_the_key_is_there(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await fill(owner, resources, owner_connection)
    before = await rotation.count(owner_connection, SEALED_COLUMNS)
    assert await rotation.count_lost(owner_connection, resources.sealer, SEALED_COLUMNS) == {}
    await rotation.renew_lost(owner_connection, resources.sealer, SEALED_COLUMNS)
    assert await rotation.count(owner_connection, SEALED_COLUMNS) == before
    assert not await owner_connection.fetchval("select count(*) from automatic_certificates where due_at is not null")


async def test_a_running_process_reads_a_new_key(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "master.key")
    file.make()
    first, second = (Sealer(*file.read(), file=file) for _ in range(2))
    old = first.seal(b"secret", "here")
    file.write([NEW, *file.read()])
    sealed = first.seal(b"secret", "here")
    assert sealed[:NAME_BYTES] == Sealer(NEW).key_name
    assert second.unseal(sealed, "here") == second.unseal(old, "here") == b"secret"
    file.write([NEW])
    assert second.seal(b"secret", "here")[:NAME_BYTES] == Sealer(NEW).key_name
    assert second.unseal(old, "here") == b"secret"
    with pytest.raises(MasterKeyError):
        Sealer(*file.read(), file=file).unseal(old, "here")


async def test_a_running_process_keeps_its_keys_if_the_key_file_becomes_invalid(tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "master.key")
    file.make()
    sealer = Sealer(*file.read(), file=file)
    sealed = sealer.seal(b"secret", "here")
    for content in (b"garbage", b""):
        file.path.write_bytes(content)
        assert sealer.unseal(sealer.seal(b"secret", "here"), "here") == sealer.unseal(sealed, "here")
    file.path.unlink()
    assert sealer.unseal(sealer.seal(b"secret", "here"), "here") == b"secret"


def test_secrets_derived_from_a_former_key_are_still_known() -> None:
    old = new_key()
    assert Sealer(NEW, old).derivations("links") == [Sealer(NEW).derive("links"), Sealer(old).derive("links")]
