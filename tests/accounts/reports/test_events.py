"""The event of a finished report."""

import httpx

from sitewright.kit.resources import Resources
from tests.accounts.reports.support import finished, request_report
from tests.support.emitted import emitted
from tests.support.users import OwnerConnection


async def test_a_finished_report_is_an_event_that_leads_to_it(
    owner: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection
) -> None:
    await request_report(owner)
    assert await emitted(owner_connection) == []
    await finished(owner, resources)
    reports = [body for name, body in await emitted(owner_connection) if name == "report.finished"]
    rows = await owner_connection.fetch("select ref, job, bytes from user_reports order by ref")
    by_ref = sorted(reports, key=lambda body: int(body["reportRef"]))
    assert [(each["reportRef"], each["job"], each["bytes"]) for each in by_ref] == [tuple(row) for row in rows]
    assert [each["accountHolder"] for each in reports] == [None, None]
    assert (await owner.get(f"/user-reports/{reports[0]['job']}")).status_code == 200
