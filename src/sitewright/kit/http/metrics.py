"""`GET /metrics`, for Prometheus: open to local clients (see `kit.origin`), else to a system-owner."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sitewright.kit import clock
from sitewright.kit.auth.caller import Role
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Request
from sitewright.kit.http.endpoint import authentication_request
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.jobs import store
from sitewright.kit.metrics import CONTENT_TYPE, data_folder_lines, gauge
from sitewright.kit.problems import Forbidden, TooManyRequests, Unauthenticated, Unavailable
from sitewright.kit.resources import Resources

PUBLIC = (
    PublicRoute(
        path="/metrics",
        operation_id="readMetrics",
        summary="Figures for Prometheus.",
        description="Open to clients on the same machine that ask for a loopback host and that nothing forwarded, else"
        " to system-owners. Where a proxy on the same machine is trusted, always to system-owners alone.",
        responses={200: "Requests by route and status, latency, database connections, jobs, certificates, due work."},
        media_type="text/plain",
        errors=(Unauthenticated, Forbidden, TooManyRequests, Unavailable),
    ),
)


Figures = Callable[[Transaction], Awaitable[bytes]]
"""Counts a feature's metrics in the database on each scrape, in Prometheus's text format."""
Overdue = Callable[[Transaction, datetime], Awaitable[timedelta | None]]
"""How long the oldest item of a kind of work has been due; None if none is."""
OLDEST = "For how long the oldest item of each kind of work is due; 0 when none is."


class MetricsRoute:
    method = "GET"
    path = "/metrics"
    streams_body = False

    def __init__(self, figures: Sequence[Figures] = (), overdue: Mapping[str, Overdue] | None = None) -> None:
        self._figures = figures
        self._overdue = overdue or {}

    async def handle(self, request: Request, _path_parameters: dict[str, Any], resources: Resources) -> Response:
        async with resources.database.lease() as lease:
            if not request.origin.is_local:
                caller = await resources.authenticator.authenticate(authentication_request(request), lease)
                if caller.role is not Role.SYSTEM_OWNER:
                    raise Forbidden("Metrics are for system-owners.")
            connection = await lease.connection()
            jobs = await store.count_jobs(connection)
            counted = b"".join([await each(connection) for each in self._figures])
            counted += await _overdue_figures(self._overdue, connection)
        counted += await asyncio.to_thread(data_folder_lines, resources.settings.data_path)
        return Response(200, resources.metrics.exposition(jobs) + counted, {}, CONTENT_TYPE)


async def _overdue_figures(kinds: Mapping[str, Overdue], connection: Transaction) -> bytes:
    now = clock.now()
    found = {kind: await overdue(connection, now) for kind, overdue in kinds.items()}
    seconds = {kind: round(max(age.total_seconds(), 0.0), 3) if age else 0 for kind, age in found.items()}
    return gauge("sitewright_oldest_due_seconds", OLDEST, seconds, label="kind")
