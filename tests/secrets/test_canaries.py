"""Plants secrets everywhere the service accepts or returns them, and then searches for them everywhere else.

A control value that may be visible is planted too: each search that should find it must, otherwise it proves nothing.
"""

import base64
import os
import signal
from pathlib import Path

from tests.secrets import places, planting
from tests.secrets.canaries import PLAIN, Canary, check_none, found_in
from tests.secrets.installation import Installation, open_installation
from tests.support.customers import Customer
from tests.support.s3_server import Bucket, running_s3

COMMANDS = [
    ("audit", "list", "--brand", "1", "--limit", "1000"),
    ("audit", "list"),
    ("billing", "report", "--brand", "1"),
    ("certificates", "list"),
    ("credentials", "list"),
    ("domains", "list"),
    ("jobs", "list"),
    ("keys", "list"),
    ("mail", "list"),
    ("mailboxes", "list"),
    ("reports", "list"),
    ("webhooks", "list"),
    ("webhooks", "attempts", "1"),
    ("doctor",),
]
SHOWS_CONTROL = (
    *("audit list --brand", "certificates", "credentials", "mailboxes", "webhooks list"),
    *("the service's log", "PostgreSQL's log", "a dump", "the report", "delivery"),
)
"""Prefixes of the places where the control may be visible, and so must be found."""


def test_a_canary_is_known_in_every_form() -> None:
    canary = Canary("any", b"s\xc3\xa4cret+/=1")
    for before in (b"", b"x", b"xx"):
        assert found_in({"here": base64.b64encode(before + canary.value + b"yy")}, [canary])
        assert found_in({"here": base64.urlsafe_b64encode(before + canary.value + b"yy")}, [canary])
    for content in (b"{s\xc3\xa4cret+/=1}", b"\\x" + canary.value.hex().encode(), b"?a=s%C3%A4cret%2B%2F%3D1&b"):
        assert found_in({"here": content}, [canary])
    assert not found_in({"here": b"s\xc3\xa4cret+/=2"}, [canary])


async def test_secrets_are_where_they_were_shown_and_nowhere_else(tmp_path: Path) -> None:
    with running_s3() as s3_url:
        await _plant_and_search(tmp_path, Bucket(s3_url), planting.S3Keys(tmp_path))


async def _plant_and_search(tmp_path: Path, bucket: Bucket, s3_keys: planting.S3Keys) -> None:
    async with open_installation(tmp_path, **s3_keys.settings(bucket.url, bucket.name)) as installation:
        await planting.plant_callers(installation)
        user_ref = await planting.plant_user(installation)
        customer = await planting.plant_site(installation, user_ref)
        await planting.plant_s3_keys(installation, s3_keys, customer, bucket)
        await planting.plant_links(installation, user_ref, customer.host)
        await planting.plant_preview_link(installation, customer)
        await planting.plant_mailed_links(installation, user_ref)
        await planting.plant_mailbox(installation)
        await planting.plant_certificate(installation, customer.host)
        report = await planting.plant_report(installation)
        planting.plant_own_keys(installation)
        waiting = await _dump_while_work_waits(installation, customer)
        await planting.read_everything(installation, customer)
        looked_at = {"the report": report, "a dump while work waits": waiting, **await _look_everywhere(installation)}
        files = places.database_files(installation.service)
        modes = places.modes(installation.service)
    assert len(installation.canaries) > 40
    _check_that_it_would_be_found(installation, looked_at, files)
    check_none(found_in(looked_at, installation.canaries))
    check_none(found_in(files, installation.canaries, [PLAIN]))
    check_none(
        each
        for each in found_in(installation.responses, installation.canaries)
        if not installation.is_shown(each.canary, each.place)
    )
    assert {mode[-2:] for mode in modes.values()} == {"00"}, modes


def _check_that_it_would_be_found(
    installation: Installation, looked_at: dict[str, bytes], files: dict[str, bytes]
) -> None:
    without = {name for name, content in looked_at.items() if not found_in({name: content}, [installation.control])}
    assert {name for name in without if name.startswith(SHOWS_CONTROL)} == set(), "the control should be here"
    assert b"/users/{user_ref:int}" in looked_at["metrics"]
    assert b"serve\0--demo" in looked_at["command lines"] and b"cluster_name=" in looked_at["command lines"]
    assert found_in(files, [installation.control], [PLAIN])
    assert found_in(installation.responses, [installation.control])


async def _dump_while_work_waits(installation: Installation, customer: Customer) -> bytes:
    """Jobs and mails that a worker would otherwise process immediately."""
    [worker] = installation.service.pids("worker")
    os.kill(worker, signal.SIGSTOP)
    try:
        reset = {
            "username": installation.control.text,
            "loginLink": f"https://northwind.example/{installation.plant('link').text}",
        }
        await installation.post("/users/forgotten-password", reset)
        verify = {"verificationUrl": f"https://northwind.example/{installation.plant('other link').text}"}
        await installation.post(f"/users/{customer.user_ref}/send-verification-email", verify)
        dumped = await places.dump(installation.service)
        assert b"mailed-links.forgotten-password" in dumped
        return dumped
    finally:
        os.kill(worker, signal.SIGCONT)


async def _look_everywhere(installation: Installation) -> dict[str, bytes]:
    service = installation.service
    owner = await places.connected(service)
    await owner.execute(f"do $$ begin raise warning '{installation.control.text}'; end $$")
    await owner.close()
    said = (await places.command_output(service, *COMMANDS)).split(b"$ sitewright ")[1:]
    assert len(said) == len(COMMANDS)
    return {
        **{text.decode().partition("\n")[0]: text for text in said},
        **{f"delivery {number}": each.body for number, each in enumerate(installation.receiver.arrived)},
        **places.logs(service),
        **places.kept_files(service),
        "a dump": await places.dump(service),
        "metrics": (await installation.client.get("/metrics")).content,
        "command lines": places.command_lines(service),
    }
