"""Plants secrets everywhere the service accepts or returns them, and then searches for them everywhere else.

A control value that may be visible is planted too: each search that should find it must, otherwise it proves nothing.
"""

import base64
import os
import signal
from pathlib import Path

from tests.secrets import places, planting
from tests.secrets.canaries import PLAIN, Canary, check_none, found_in
from tests.secrets.nest import Nest, open_nest
from tests.support.customers import Customer

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
    async with open_nest(tmp_path) as nest:
        await planting.plant_callers(nest)
        user_ref = await planting.plant_user(nest)
        customer = await planting.plant_site(nest, user_ref)
        await planting.plant_links(nest, user_ref, customer.host)
        await planting.plant_mailed_links(nest, user_ref)
        await planting.plant_mailbox(nest)
        await planting.plant_certificate(nest, customer.host)
        report = await planting.plant_report(nest)
        planting.plant_own_keys(nest)
        waiting = await _dump_while_work_waits(nest, customer)
        await planting.ask_everything(nest, customer)
        looked_at = {"the report": report, "a dump while work waits": waiting, **await _look_everywhere(nest)}
        files = places.database_files(nest.service)
        modes = places.modes(nest.service)
    assert len(nest.canaries) > 40
    _check_that_it_would_be_found(nest, looked_at, files)
    check_none(found_in(looked_at, nest.canaries))
    check_none(found_in(files, nest.canaries, [PLAIN]))
    check_none(each for each in found_in(nest.answers, nest.canaries) if not nest.is_shown(each.canary, each.place))
    assert {mode[-2:] for mode in modes.values()} == {"00"}, modes


def _check_that_it_would_be_found(nest: Nest, looked_at: dict[str, bytes], files: dict[str, bytes]) -> None:
    without = {name for name, content in looked_at.items() if not found_in({name: content}, [nest.control])}
    assert {name for name in without if name.startswith(SHOWS_CONTROL)} == set(), "the control should be here"
    assert b"/users/{user_ref:int}" in looked_at["metrics"]
    assert b"serve\0--demo" in looked_at["command lines"] and b"cluster_name=" in looked_at["command lines"]
    assert found_in(files, [nest.control], [PLAIN])
    assert found_in(nest.answers, [nest.control])


async def _dump_while_work_waits(nest: Nest, customer: Customer) -> bytes:
    """Jobs and mails that a worker would otherwise process immediately."""
    [worker] = nest.service.pids("worker")
    os.kill(worker, signal.SIGSTOP)
    try:
        reset = {"username": nest.control.text, "loginLink": f"https://northwind.example/{nest.plant('link').text}"}
        await nest.post("/users/forgotten-password", reset)
        verify = {"verificationUrl": f"https://northwind.example/{nest.plant('other link').text}"}
        await nest.post(f"/users/{customer.user_ref}/send-verification-email", verify)
        dumped = await places.dump(nest.service)
        assert b"mailed-links.forgotten-password" in dumped
        return dumped
    finally:
        os.kill(worker, signal.SIGCONT)


async def _look_everywhere(nest: Nest) -> dict[str, bytes]:
    service = nest.service
    owner = await places.connected(service)
    await owner.execute(f"do $$ begin raise warning '{nest.control.text}'; end $$")
    await owner.close()
    said = (await places.said_by(service, *COMMANDS)).split(b"$ sitewright ")[1:]
    assert len(said) == len(COMMANDS)
    return {
        **{text.decode().partition("\n")[0]: text for text in said},
        **{f"delivery {number}": each.body for number, each in enumerate(nest.receiver.arrived)},
        **places.logs(service),
        **places.kept_files(service),
        "a dump": await places.dump(service),
        "metrics": (await nest.client.get("/metrics")).content,
        "command lines": places.command_lines(service),
    }
