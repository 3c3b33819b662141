"""Retries jobs that failed, for operators."""

from sitewright.kit import audit
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.jobs import store
from sitewright.kit.problems import NotFound


class FailedJobNotFound(NotFound):
    code = "queuedJobNotFound"
    title = "No such job"
    detail = "There is no failed job with this number. See: sitewright jobs list --failed"


async def retry_failed(tx: Transaction, actor: Caller, job_id: int | None) -> store.Retried:
    """Put one failed job, or all of them, back on the queue. The transaction is that of no brand."""
    retried = await store.requeue_failed(tx, job_id)
    if job_id is not None and not (retried.requeued or retried.deleted):
        raise FailedJobNotFound
    await audit.record_each_by(tx, actor, "retry", "job", retried.requeued)
    await audit.record_each_by(tx, actor, "delete", "job", retried.deleted)
    return retried
