"""`/console/system`: what runs, what waits, and with which settings."""

import asyncio
from datetime import datetime
from typing import Any

from sitewright import __version__, settings
from sitewright.kit import clock
from sitewright.kit.auth.rights import Right
from sitewright.kit.db import Transaction
from sitewright.kit.http.messages import Messages
from sitewright.kit.http.responses import Response
from sitewright.kit.jobs import store as jobs
from sitewright.kit.migrations import store as migrations
from sitewright.kit.nodes import service as nodes
from sitewright.kit.nodes.service import LATE_AFTER
from sitewright.tenants.brands import service as brands
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import SYSTEM
from sitewright.web.console.frame.page_routes import page_route
from sitewright.web.console.frame.rendering import render

MEBIBYTE = 1024 * 1024


async def show(request: ConsoleRequest) -> Response:
    resources, messages = request.resources, request.messages
    described = await asyncio.to_thread(settings.describe, resources.settings)
    async with resources.database.transaction(None) as tx:
        found = await _read(tx, messages)
    return render(request, "system.html", version=__version__, settings=described, chosen=request.brand_ref, **found)


async def _read(tx: Transaction, messages: Messages) -> dict[str, Any]:
    now = clock.real_now()
    overdue, late_schedule = await jobs.overdue(tx, now), await jobs.overdue_schedule(tx, now)
    database = await migrations.database_facts(tx)
    return {
        "brands": await brands.list_brands(tx),
        "nodes": [_node(each, now, messages) for each in await nodes.list_nodes(tx)],
        "counts": await jobs.count_jobs(tx),
        "overdue": None if overdue is None else messages.wait(int(overdue.total_seconds())),
        "late_schedule": None if late_schedule is None else messages.wait(int(late_schedule.total_seconds())),
        "database": database,
        "database_size": messages.number(database.bytes // MEBIBYTE),
    }


def _node(node: nodes.Node, now: datetime, messages: Messages) -> dict[str, Any]:
    return {
        "node": node,
        "age": messages.wait(max(0, int((now - node.started_at).total_seconds()))),
        "seen": messages.wait(max(0, int((now - node.seen_at).total_seconds()))),
        "is_late": now - node.seen_at > LATE_AFTER,
        "is_other": node.version != __version__,
    }


PAGES = [
    console_page(
        page_route(
            SYSTEM,
            "showSystem",
            "Brands, nodes, the queue, the database and the settings of the installation.",
            more={403: "A page: only system-owners may see it."},
        ),
        show,
        right=Right.SYSTEM,
        scope=Scope.NONE,
    ),
]
