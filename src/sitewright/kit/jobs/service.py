from pgqueuer.models import JobId

from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import store
from sitewright.kit.jobs.queue import queries_on
from sitewright.kit.problems import NotFound


class FailedJobNotFound(NotFound):
    code = "queuedJobNotFound"
    title = "No such job"
    detail = "There is no failed job with this number. See: sitewright jobs list --failed"


async def retry_failed(tx: Transaction, actor: Caller, job_id: int | None) -> list[int]:
    """Put one failed job, or all of them, back on the queue."""
    failed = await store.failed_jobs(tx)
    chosen = failed if job_id is None else [each for each in failed if each == job_id]
    if job_id is not None and not chosen:
        raise FailedJobNotFound
    if chosen:
        await queries_on(tx).requeue_jobs([JobId(each) for each in chosen])
    for each in chosen:
        await audit.record(tx, actor=actor.name, action="retry", subject="job", ref=each, brand_ref=None)
    return chosen
