"""`sitewright mail`: delivery status of mail to account holders."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import out, shell_actor, with_resources
from sitewright.kit.mail import operating, store
from sitewright.kit.mail.store import Key, ListedMail
from sitewright.kit.resources import Resources

app = typer.Typer(help="Mail to account holders: status is kept for 30 days, without content.", no_args_is_help=True)


@app.command("list")
def list_(
    failed: Annotated[bool, typer.Option("--failed", help="Only mails that failed permanently.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10000)] = 100,
) -> None:
    """List mails, newest first."""

    async def work(resources: Resources) -> list[ListedMail]:
        async with resources.database.connection() as connection:
            return await store.list_mails(connection, failed_only=failed, limit=limit)

    table = Table("brand", "mail", "kind", "user", "created", "attempts", "status", Column("reason", overflow="fold"))
    for each in with_resources(work):
        created = f"{each.created_at:%Y-%m-%d %H:%M:%S}"
        user, attempts, reason = str(each.user_ref or ""), str(each.attempts), escape(each.last_error or "")
        table.add_row(str(each.brand_ref), str(each.ref), each.kind, user, created, attempts, _status(each), reason)
    out.print(table)


@app.command()
def retry(
    ref: Annotated[int | None, typer.Argument(help="The mail's number; without one, every mail that failed.")] = None,
    brand: Annotated[int | None, typer.Option(help="Only mails of this brand.")] = None,
) -> None:
    """Retry mails that failed, or that wait for a later attempt, now."""

    async def work(resources: Resources) -> list[Key]:
        async with resources.database.transaction(None) as tx:
            return await operating.retry(tx, shell_actor(), brand, ref)

    retried = with_resources(work)
    out.print(f"Sending {len(retried)} mail{'' if len(retried) == 1 else 's'} again.")


def _status(mail: ListedMail) -> str:
    if mail.sent_at is not None:
        return f"sent {mail.sent_at:%Y-%m-%d %H:%M:%S}"
    if mail.failed_at is not None:
        return f"failed {mail.failed_at:%Y-%m-%d %H:%M:%S}"
    return f"waits until {mail.next_attempt_at:%Y-%m-%d %H:%M:%S}"
