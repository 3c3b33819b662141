"""An outbox over the table of mails for tests, and a worker process that claims from it and hangs.

`python -m tests.support.probe_outbox DATABASE_URL DATA_DIR`: prints a line when it has claimed something.
"""

import asyncio
import sys
from datetime import timedelta
from typing import Any

from sitewright.features import LIFECYCLE, MAIL
from sitewright.kit.mail import store
from sitewright.kit.outbox import BackOff, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.resources import open_resources
from sitewright.settings import Settings

DELAYS = (timedelta(seconds=10), timedelta(minutes=5))
LEASE = timedelta(seconds=30)


def probe_outbox(**chosen: Any) -> Outbox:
    given: dict[str, Any] = {
        "name": "probe",
        "lease": LEASE,
        "back_off": BackOff(DELAYS),
        "drain_seconds": 0.1,
        "poll_seconds": 0.05,
    }
    return Outbox(table=store.TABLE, claim=store.claim, **(given | chosen))


async def hang(_batch: Batch) -> bool:
    sys.stdout.write("claimed\n")
    sys.stdout.flush()
    await asyncio.Event().wait()
    return True


async def main(database_url: str, data_dir: str) -> None:
    async with open_resources(
        Settings(data_dir=data_dir, workers=1), database_url, name="probe", lifecycle=LIFECYCLE, mail=MAIL
    ) as resources:
        await OutboxLoop(probe_outbox(batch=10), hang).run(resources, asyncio.Event())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
