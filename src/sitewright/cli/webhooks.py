"""`sitewright webhooks`: subscriptions, delivery attempts, replays and signing secrets."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import out, settings, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.service import require_brand
from sitewright.webhooks import operating, service
from sitewright.webhooks.deliveries.responses import Response
from sitewright.webhooks.store import OverviewRow, StoredAttempt

app = typer.Typer(help="Webhooks: attempts are kept for 30 days, and can be replayed.", no_args_is_help=True)
Subscription = Annotated[int, typer.Argument(help="The subscription's id.", min=1)]
Brand = Annotated[int, typer.Option(help="The brand's ref.", min=1)]


@app.command("list")
def list_(brand: Annotated[int | None, typer.Option(help="Only subscriptions of this brand.", min=1)] = None) -> None:
    """List subscriptions, with their waiting and dead-lettered deliveries."""

    async def work(resources: Resources) -> list[OverviewRow]:
        return await operating.overview(resources, brand)

    table = Table("brand", "id", "event", "active", "waiting", "dead", "last attempt", Column("url", overflow="fold"))
    for each in with_resources(work):
        last = "" if each.last_attempt_at is None else f"{each.last_attempt_at:%Y-%m-%d %H:%M:%S} {each.last_outcome}"
        active, waiting, dead = "yes" if each.active else "no", str(each.waiting), str(each.dead)
        table.add_row(str(each.brand_ref), str(each.ref), each.event, active, waiting, dead, last, escape(each.url))
    out.print(table)


@app.command()
def attempts(
    subscription: Subscription,
    failed: Annotated[bool, typer.Option("--failed", help="Only attempts that failed.")] = False,
    limit: Limit = 100,
) -> None:
    """List attempts to deliver to a subscription, newest first."""

    async def work(resources: Resources) -> list[StoredAttempt]:
        return await operating.attempts(resources, subscription, limit + 1, failed_only=failed)

    result_column = Column("response or error", overflow="fold")
    table = Table("id", "event", "sequence", "number", "at", "outcome", "status", "ms", "next", result_column)
    found = with_resources(work)
    for each in found[:limit]:
        later = "" if each.next_attempt_at is None else f"{each.next_attempt_at:%Y-%m-%d %H:%M:%S}"
        result = escape(" ".join((each.error or each.answer or "").split())[:80])
        table.add_row(
            *(str(each.ref), each.event, str(each.sequence), str(each.number), f"{each.at:%Y-%m-%d %H:%M:%S}"),
            *(each.outcome, str(each.status or ""), str(each.milliseconds), later, result),
        )
    out.print(table)
    say_if_more(found, limit)


@app.command()
def replay(
    attempt: Annotated[int | None, typer.Argument(help="The attempt's number.", min=1)] = None,
    dead_of: Annotated[int | None, typer.Option(help="All dead letters of this subscription.", min=1)] = None,
) -> None:
    """Deliver the event of an attempt again, or all dead letters of a subscription."""
    if (attempt is None) == (dead_of is None):
        raise typer.BadParameter("Name an attempt, or a subscription with --dead-of.")

    async def work(resources: Resources) -> int:
        if dead_of is not None:
            return await operating.replay_dead(resources, shell_actor(), dead_of)
        await operating.replay(resources, shell_actor(), attempt or 0)
        return 1

    count = with_resources(work)
    out.print(f"Delivering {count} event{'' if count == 1 else 's'} again.")


@app.command()
def secret(brand: Brand) -> None:
    """Show the secret that signs a brand's deliveries; it is created if there is none."""

    async def work(resources: Resources) -> str:
        async with resources.database.transaction(brand) as tx:
            await require_brand(tx)
            return await service.ensure_secret(tx, resources.sealer, brand)

    out.print(with_resources(work))


@app.command("rotate-secret")
def rotate_secret(brand: Brand) -> None:
    """Create a new secret for a brand and show it. For 24 hours deliveries are signed with the previous one, too."""

    async def work(resources: Resources) -> str:
        async with resources.database.transaction(brand) as tx:
            await require_brand(tx)
            return await service.rotate_secret(tx, resources.sealer, shell_actor(), brand)

    out.print(with_resources(work))


@app.command()
def test(
    subscription: Subscription,
    demo: Annotated[bool, typer.Option("--demo", help="Loopback may be reached, as with serve --demo.")] = False,
) -> None:
    """Send a signed test event to a subscription now, active or not, and show the response."""
    chosen = settings().for_demo() if demo else settings()

    async def work(resources: Resources) -> Response:
        return await operating.send_test(resources, chosen, shell_actor(), subscription)

    response = with_resources(work)
    if response.error is not None:
        out.print(f"[red]No response[/red] after {response.milliseconds} ms: {escape(response.error)}")
        raise typer.Exit(1)
    out.print(f"Status {response.status} after {response.milliseconds} ms")
    out.print(escape(response.text or ""))
    if not 200 <= (response.status or 0) < 300:
        raise typer.Exit(1)
