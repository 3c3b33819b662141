"""Schedules of the worker that delete the kit's expired rows and files, and end sessions of operators."""

import asyncio
from datetime import timedelta

from sitewright.kit import audit, clock
from sitewright.kit.audit.chain import service as audit_chain
from sitewright.kit.auth import store as auth_store
from sitewright.kit.auth.authenticator import TIMESTAMP_TOLERANCE_SECONDS
from sitewright.kit.http import idempotency
from sitewright.kit.http.idempotency import store as idempotency_store
from sitewright.kit.jobs import PeriodicTask, Schedule
from sitewright.kit.jobs import store as job_store
from sitewright.kit.mail import eml
from sitewright.kit.mail import store as mail_store
from sitewright.kit.outages import tolerate_outage
from sitewright.kit.pruning import prune_in_batches
from sitewright.kit.resources import Resources
from sitewright.kit.tokens import operator_sessions
from sitewright.kit.tokens import store as token_store

NONCE_AGE = timedelta(seconds=2 * TIMESTAMP_TOLERANCE_SECONDS + 60)
LOG_AGE = timedelta(days=14)
MAIL_AGE = timedelta(days=30)
SECRET_AGE = timedelta(days=1)
"""How long a used or expired token is kept, so that it is reported as such and not as unknown."""


async def _prune_authentication(resources: Resources) -> None:
    failure_age = timedelta(seconds=resources.settings.failure_window_seconds)
    await prune_in_batches(resources.database, lambda tx, limit: auth_store.prune(tx, NONCE_AGE, failure_age, limit))


async def _prune_jobs(resources: Resources) -> None:
    await prune_in_batches(resources.database, lambda tx, limit: job_store.prune_log(tx, LOG_AGE, limit))


async def _prune_idempotent_responses(resources: Resources) -> None:
    older_than = clock.now() - idempotency.RETENTION
    await prune_in_batches(resources.database, lambda tx, limit: idempotency_store.prune(tx, older_than, limit))


async def _prune_tokens(resources: Resources) -> None:
    older_than = clock.now() - SECRET_AGE
    await prune_in_batches(resources.database, lambda tx, limit: token_store.prune(tx, older_than, limit))


async def _end_operator_sessions(resources: Resources) -> None:
    await operator_sessions.end_expired(resources.database)


async def _prune_mails(resources: Resources) -> None:
    older_than = clock.now() - MAIL_AGE
    await prune_in_batches(resources.database, lambda tx, limit: mail_store.prune(tx, older_than, limit))


async def _prune_audit(resources: Resources) -> None:
    days = resources.settings.audit_days
    if days:
        older_than = clock.now() - timedelta(days=days)
        await prune_in_batches(resources.database, lambda tx, limit: audit.prune(tx, older_than, limit))


async def _prune_mail_files(resources: Resources) -> None:
    days = resources.settings.mail_file_days
    if days:
        await asyncio.to_thread(eml.prune, resources.settings.mail_path, clock.real_now() - timedelta(days=days))


async def _chain_audit(resources: Resources) -> None:
    with tolerate_outage("audit"):
        await audit_chain.chain_entries(resources)


SCHEDULES = [
    Schedule("prune-given-secrets", "*/10 * * * *", _prune_tokens),
    Schedule("end-operator-sessions", "* * * * *", _end_operator_sessions),
    Schedule("prune-authentication", "* * * * *", _prune_authentication),
    Schedule("prune-idempotent-answers", "*/10 * * * *", _prune_idempotent_responses),
    Schedule("prune-jobs", "7 * * * *", _prune_jobs),
    Schedule("prune-mails", "23 * * * *", _prune_mails),
    Schedule("prune-audit", "53 * * * *", _prune_audit),
]
MAIL_FILES = PeriodicTask("mail-files", 600.0, _prune_mail_files)
"""In every worker, since each may have its own data folder."""
AUDIT_CHAIN = PeriodicTask("audit-chain", 1.0, _chain_audit)
"""In every worker: a lock keeps several of them from chaining the same entries."""
