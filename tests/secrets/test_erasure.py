"""Erasure: an anonymized user and an erased site leave nothing behind but refs.

Encrypted values are decrypted and compressed ones decompressed before the search, since hiding a value does not erase
it. docs/decisions/0030-erasure.md lists what is kept on purpose, and for how long.
"""

import os
import signal
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.secrets import places
from tests.secrets.canaries import Canary, check_none, found_in
from tests.secrets.installation import Installation, open_installation
from tests.secrets.person import PICTURE, Person
from tests.secrets.planting import plant_report
from tests.support.customers import Customer, done, make_customer
from tests.support.eventually import eventually
from tests.support.receiver import OK

COMMANDS = [
    ("audit", "list", "--brand", "1", "--limit", "1000"),
    ("certificates", "list"),
    ("jobs", "list"),
    ("mail", "list"),
    ("mailboxes", "list"),
    ("reports", "list"),
    ("webhooks", "attempts", "1"),
]
IN_PROGRESS = """
select (select count(*) from pg_stat_activity where application_name like '%worker%' and xact_start is not null)
     + (select count(*) from domain_checks where started_at > coalesce(checked_at, '-infinity'))
     + (select count(*) from automatic_certificates where order_url is not null)
"""
REGISTERED = "host of a domain still registered"
OF_THIRD_PARTIES = ("demo-network/journal.jsonl",)
"""What the demo's certificate authority has issued. Real ones keep it too, and publish it; no service can erase it."""


async def test_nothing_is_left_of_an_anonymized_user_and_erased_sites(tmp_path: Path) -> None:
    async with open_installation(tmp_path, webhook_retry_seconds="600") as installation:
        person, bystander = (
            Person(installation),
            await make_customer(installation.client, 1, "bystander.example", package_ref=3),
        )
        await person.subscribe_receiver()
        await person.sign_up()
        kept_ref = await person.add_domains()
        for number in (1, 2):
            await person.add_site(number)
        await bystander.publish()
        await eventually(lambda: _all_attempted(installation, 3))
        await plant_report(installation)
        await eventually(lambda: _nothing_waits(installation))  # the domain given up is released
        async with _worker_stopped(installation):
            await person.queue_mails_and_a_job()
            await done(installation.client.delete(person.sites[1].path))
            before = await _all_tables(installation)
            await eventually(lambda: b'"route":"contact"' in installation.service.log.read_bytes())
            response_count, log_size = len(installation.responses), installation.service.log.stat().st_size
            await _erase(person)
            at_once = await _all_tables(installation)
            assert at_once.pop("jobs.queue.payload"), "the job for a forgotten password waits"
        await eventually(lambda: _nothing_waits(installation))
        after = await _all_tables(installation) | await _read_everything(
            installation, person, bystander, response_count
        )
        written = installation.service.log.read_bytes()
        visits = await _visit(installation, person)
        await _check_deliveries(installation, person)
        registered = await _release_domain(installation, person, kept_ref)
    names = [each for name, each in person.values.items() if name != REGISTERED]
    assert len(names) > 40
    assert _nowhere(before, person.values.values()) == [], "the search would not have found these"
    check_none(found_in(at_once, [each for each in names if each.name != PICTURE]))
    for each in OF_THIRD_PARTIES:
        after.pop(each, None)
    check_none(found_in(after | visits | {"the log since": written[log_size:]}, names))
    check_none(found_in({"the log": written}, [each for each in names if each.name not in person.hosts]))
    assert found_in(after, [person.values[REGISTERED]]), "it is still registered"
    check_none(found_in(registered, [person.values[REGISTERED]]))
    assert found_in(after, [Canary("bystander", bystander.host), Canary("control", installation.control.value)])


@asynccontextmanager
async def _worker_stopped(installation: Installation) -> AsyncIterator[None]:
    [worker] = installation.service.pids("worker")
    await eventually(lambda: _stops_between_tasks(installation, worker))
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


async def _stops_between_tasks(installation: Installation, worker: int) -> bool:
    """Inside a transaction the worker would keep its locks; a health check or an order in progress would visit the
    host after its erasure."""
    os.kill(worker, signal.SIGSTOP)
    owner = await places.connected(installation.service)
    try:
        if not await owner.fetchval(IN_PROGRESS):
            return True
    finally:
        await owner.close()
    os.kill(worker, signal.SIGCONT)
    return False


async def _erase(person: Person) -> None:
    """A live site, a deleted site, and their owner."""
    client, report = (
        person.installation.client,
        next(each for each in person.installation.responses if "/download" in each),
    )
    for site in person.sites:
        await done(client.post(f"{site.path}/hard-delete"))
    await done(client.post(f"/users/{person.user_ref}/anonymise"))
    job = report.split("/user-reports/")[1].partition("/")[0]
    await person.installation.expect(404, "GET", f"/user-reports/{job}")


async def _all_tables(installation: Installation) -> dict[str, bytes]:
    return {
        "a dump": await places.dump(installation.service),
        **await places.decrypted_and_decompressed(installation.service),
    }


def _nowhere(looked_at: dict[str, bytes], canaries: Iterable[Canary]) -> list[Canary]:
    return [canary for canary in canaries if not found_in(looked_at, [canary])]


async def _all_attempted(installation: Installation, count: int) -> bool:
    attempts = (await done(installation.client.get("/webhooks/subscription/1/attempts")))["attempts"]
    return len(attempts) == count


async def _nothing_waits(installation: Installation) -> bool:
    owner = await places.connected(installation.service)
    try:
        return not await owner.fetchval(
            "select (select count(*) from jobs.queue)"
            " + (select count(*) from mails where sent_at is null and failed_at is null)"
            " + (select count(*) from account_domains where due_at is not null)"
            " + (select count(*) from dns_zones where due_at is not null and removed_at is not null)"
        )
    finally:
        await owner.close()


async def _read_everything(
    installation: Installation, person: Person, bystander: Customer, response_count: int
) -> dict[str, bytes]:
    """Responses from the anonymization on, output of commands, and files."""
    user = f"/users/{person.user_ref}"
    for path in (
        "/users", user, f"{user}/sites?deleted=1", f"{user}/account-packages", f"{user}/domains/mailboxes",
        "/sites?brandRef=1&deleted=1", "/webhooks/subscription/1/attempts", f"/users/{bystander.user_ref}",
    ):  # fmt: skip
        await done(installation.client.get(path))
    for site in person.sites:
        await installation.expect(404, "GET", f"{site.path}?deleted=1")
    for request in person.repeatable:
        response = await person.again(*request)
        forgotten = response.status_code == 409 and response.json()["code"] == "idempotencyForgotten"
        assert forgotten or response.status_code == 204, f"{request[0]}: {response.text}"
    said = await places.command_output(installation.service, *COMMANDS)
    return (
        dict(list(installation.responses.items())[response_count:])
        | places.kept_files(installation.service)
        | {"commands": said}
    )


async def _visit(installation: Installation, person: Person) -> dict[str, bytes]:
    """What visitors of the former addresses get; the log contains the requested address, as of any visit."""
    paths = ("/", f"/{person.text('page url')}", "/.well-known/pki-validation/fileauth/abc")
    seen = {}
    for number in (1, 2):
        for path in paths:
            response = await installation.visit(
                404, installation.service.site_url + path, headers={"Host": person.host(number)}
            )
            seen[f"{path} of site {number}"] = response.content
    return seen


async def _check_deliveries(installation: Installation, person: Person) -> None:
    """They are still delivered, in order and signed, with refs only."""
    attempts = (await done(installation.client.get("/webhooks/subscription/1/attempts")))["attempts"]
    installation.receiver.respond = lambda _arrived: OK
    installation.receiver.arrived.clear()
    for attempt in attempts:
        await installation.post(f"/webhooks/subscription/1/attempts/{attempt['id']}/replay")
    await eventually(lambda: len(installation.receiver.arrived) == len(attempts))
    secret = installation.service.demo["brands"][0]["webhookSecret"]
    events = sorted(
        (each.verified(secret) for each in installation.receiver.arrived), key=lambda each: each["sequence"]
    )
    assert [each["site"]["ref"] for each in events[:2]] == [site.site["ref"] for site in person.sites]
    bodies = {f"delivery {number}": each.body for number, each in enumerate(installation.receiver.arrived)}
    check_none(found_in(bodies, person.values.values()))


async def _release_domain(installation: Installation, person: Person, account_domain_ref: int) -> dict[str, bytes]:
    """Delete the registered domain, whose name is then erased too; returns all tables afterwards."""
    await done(installation.client.delete(f"/account-domains/{account_domain_ref}"))
    await eventually(lambda: _nothing_waits(installation))
    return await _all_tables(installation)
