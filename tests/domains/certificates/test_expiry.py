"""Expiring certificates: warnings, metrics and pruning."""

import logging
import re
from datetime import timedelta

import httpx
import pytest

from sitewright.domains.certificates import expiry
from sitewright.kit import clock
from sitewright.kit.mail import open_facts
from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST, SECOND, THEIRS
from tests.domains.certificates.wire import put_certificate
from tests.mail.conftest import sender
from tests.mail.smtp_server import run_smtp_server
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.certificates import DAY, certificate_for, expired, make_certificate
from tests.support.due_mails import send_due_mails
from tests.support.users import OwnerConnection


async def mails(owner_connection: OwnerConnection, resources: Resources) -> list[tuple[int, str, str]]:
    rows = await owner_connection.fetch("select brand_ref, user_ref, kind, facts from mails order by ref")
    assert {(row["user_ref"], row["kind"]) for row in rows} <= {(None, "certificateExpiring")}
    opened = [(row["brand_ref"], open_facts(resources.sealer, row["brand_ref"], row["facts"])) for row in rows]
    return [(brand_ref, facts["days"], facts["certificates"]) for brand_ref, facts in opened]


async def expiring_in(
    owner_connection: OwnerConnection, resources: Resources, ends: timedelta, *hosts: str, brand_ref: int = OWN_BRAND
) -> int:
    issued = certificate_for(*hosts, ends=ends)
    return await make_certificate(owner_connection, resources, brand_ref, issued, *hosts)


@pytest.mark.parametrize(
    ("left", "days"),
    [(31, None), (29.5, "30"), (14.1, "30"), (13.9, "14"), (7.1, "14"), (6.9, "7"), (1.1, "7"), (0.9, "1"), (-1, None)],
)
async def test_warnings_by_days_left(
    resources: Resources, owner_connection: OwnerConnection, left: float, days: str | None
) -> None:
    await expiring_in(owner_connection, resources, left * DAY, HOST) if left > 0 else None
    await expiry.warn(resources)
    assert [each[1] for each in await mails(owner_connection, resources)] == ([days] if days else [])


async def test_each_warning_is_sent_once(resources: Resources, owner_connection: OwnerConnection) -> None:
    await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    await expiry.warn(resources)
    await expiring_in(owner_connection, resources, 11 * DAY, SECOND)
    for _ in range(2):
        await expiry.warn(resources)
    sent = await mails(owner_connection, resources)
    assert [re.sub(r"\S+  ", "", each[2]) for each in sent] == [HOST, SECOND]


async def test_the_warning_is_repeated_closer_to_expiry(
    resources: Resources, owner_connection: OwnerConnection
) -> None:
    ref = await expiring_in(owner_connection, resources, 20 * DAY, HOST)
    for left in (20, 10, 5, 0.5):
        ends = clock.real_now() + left * DAY
        await owner_connection.execute("update certificates set not_after = $2 where ref = $1", ref, ends)
        await expiry.warn(resources)
    assert [each[1] for each in await mails(owner_connection, resources)] == ["30", "14", "7", "1"]


async def test_one_mail_lists_all_that_expire_together(resources: Resources, owner_connection: OwnerConnection) -> None:
    await expiring_in(owner_connection, resources, 10 * DAY, HOST, "*.bakery.example")
    await expiring_in(owner_connection, resources, 12 * DAY, SECOND)
    await expiring_in(owner_connection, resources, 3 * DAY, THEIRS, brand_ref=OTHER_BRAND)
    await expiry.warn(resources)
    theirs, ours = sorted(await mails(owner_connection, resources), reverse=True)
    assert theirs[:2] == (OTHER_BRAND, "7") and ours[:2] == (OWN_BRAND, "14")
    assert [line.split("  ")[1] for line in ours[2].splitlines()] == [f"{HOST}, *.bakery.example", SECOND]


async def test_there_is_no_warning_about_a_renewed_certificate(
    resources: Resources, owner_connection: OwnerConnection
) -> None:
    await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    await expiring_in(owner_connection, resources, 80 * DAY, HOST)
    await expiry.warn(resources)
    assert await mails(owner_connection, resources) == []


async def test_expiry_follows_the_real_clock(resources: Resources, owner_connection: OwnerConnection) -> None:
    await expiring_in(owner_connection, resources, 60 * DAY, HOST)
    clock.shift(50 * DAY.total_seconds())
    await expiry.warn(resources)
    assert await mails(owner_connection, resources) == []


async def test_a_brand_without_a_contact_is_logged(
    resources: Resources, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    await owner_connection.execute("update brands set contact = null")
    ref = await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    await expiring_in(owner_connection, resources, 20 * DAY, SECOND)
    with caplog.at_level(logging.WARNING):
        await expiry.warn(resources)
        await expiry.log_unreachable(resources)
    [record] = [each for each in caplog.records if each.name == "sitewright.certificates"]
    assert f"no contact address: brand 1, certificate {ref}" in record.getMessage()


def test_brands_without_a_contact_are_logged_once_a_day() -> None:
    [schedule] = [each for each in expiry.SCHEDULES if each.run is expiry.log_unreachable]
    assert re.fullmatch(r"\d+ \d+ \* \* \*", schedule.expression)


async def test_a_brand_with_a_contact_is_not_logged(
    resources: Resources, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    await expiry.log_unreachable(resources)
    assert [each for each in caplog.records if each.name == "sitewright.certificates"] == []


async def test_a_brand_is_warned_once_it_has_a_contact(resources: Resources, owner_connection: OwnerConnection) -> None:
    await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    for contact in (None, "invalid", "someone@northwind.example", "someone@northwind.example"):
        assert await mails(owner_connection, resources) == [] or contact is not None
        await owner_connection.execute("update brands set contact = $1", contact)
        await expiry.warn(resources)
    assert [each[1] for each in await mails(owner_connection, resources)] == ["14"]


async def test_a_failure_for_one_brand_does_not_stop_the_others(
    resources: Resources, owner_connection: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    await expiring_in(owner_connection, resources, 3 * DAY, HOST)
    await expiring_in(owner_connection, resources, 4 * DAY, THEIRS, brand_ref=OTHER_BRAND)
    await owner_connection.execute("alter table mails add constraint never check (brand_ref <> 1)")
    try:
        await expiry.warn(resources)
    finally:
        await owner_connection.execute("alter table mails drop constraint never")
    assert [each[0] for each in await mails(owner_connection, resources)] == [OTHER_BRAND]
    assert "brand 1 could not be warned" in caplog.text
    await expiry.warn(resources)
    assert sorted(each[0] for each in await mails(owner_connection, resources)) == [OWN_BRAND, OTHER_BRAND]


async def test_the_mail_arrives_at_the_brands_contact(resources: Resources, owner_connection: OwnerConnection) -> None:
    await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    await expiry.warn(resources)
    with run_smtp_server() as server:
        await send_due_mails(sender(resources, server))
    [arrived] = server.arrived
    assert arrived.recipient == "support@northwind.example"
    assert arrived.message["Subject"] == "Certificates expire within 14 days"
    text = arrived.message.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert HOST in text and "PUT /ssl-certs/:domain" in text


async def metrics(client: httpx.AsyncClient) -> dict[str, int]:
    text = (await client.get("/metrics")).text
    return {name: int(value) for name, value in re.findall(r"^sitewright_(certificate\w*) (\d+)$", text, re.MULTILINE)}


async def test_metrics(anonymous: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection) -> None:
    assert await metrics(anonymous) == {"certificates": 0, "certificates_expiring": 0, "certificates_expired": 0}
    await make_certificate(owner_connection, resources, OWN_BRAND, expired(HOST), HOST)
    await expiring_in(owner_connection, resources, 60 * DAY, HOST)
    assert (await metrics(anonymous))["certificate_next_end_seconds"] > 59 * DAY.total_seconds()
    await make_certificate(owner_connection, resources, OTHER_BRAND, expired(THEIRS), THEIRS)
    await expiring_in(owner_connection, resources, 10 * DAY, SECOND)
    found = await metrics(anonymous)
    assert 9 * DAY.total_seconds() < found.pop("certificate_next_end_seconds") < 10 * DAY.total_seconds()
    assert found == {"certificates": 4, "certificates_expiring": 1, "certificates_expired": 1}


async def test_the_operator_lists_them(resources: Resources, owner_connection: OwnerConnection) -> None:
    soon = await expiring_in(owner_connection, resources, 10 * DAY, HOST)
    late = await expiring_in(owner_connection, resources, 60 * DAY, SECOND)
    async with resources.database.connection() as connection:
        assert [each.ref for each in await expiry.list_certificates(connection)] == [soon, late]
        assert [each.ref for each in await expiry.list_certificates(connection, 30 * DAY)] == [soon]


async def test_pruning_deletes_those_expired_long_ago(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await put_certificate(owner, certificate_for(HOST))
    old = await make_certificate(owner_connection, resources, OWN_BRAND, expired(SECOND), SECOND)
    await expiry.prune(resources)
    assert await owner_connection.fetchval("select count(*) from certificates") == 2
    await owner_connection.execute(
        "update certificates set not_after = not_after - '30 days'::interval where ref = $1", old
    )
    await expiry.prune(resources)
    assert await owner_connection.fetchval("select count(*) from certificates") == 1
