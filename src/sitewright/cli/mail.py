"""`sitewright mail`: delivery status of mail to account holders."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from sitewright.cli.context import err, out, shell_actor, with_resources
from sitewright.cli.listing import Limit, say_if_more
from sitewright.features import MAIL
from sitewright.kit.mail import operating, samples, store
from sitewright.kit.mail.rendering import Rendered
from sitewright.kit.mail.store import Key, ListedMail
from sitewright.kit.resources import Resources

app = typer.Typer(help="Mail to account holders: status is kept for 30 days, without content.", no_args_is_help=True)


@app.command("list")
def list_(
    failed: Annotated[bool, typer.Option("--failed", help="Only mails that failed permanently.")] = False,
    limit: Limit = 100,
) -> None:
    """List mails, newest first."""

    async def work(resources: Resources) -> list[ListedMail]:
        async with resources.database.connection() as connection:
            return await store.list_mails(connection, failed_only=failed, limit=limit + 1)

    table = Table("brand", "mail", "kind", "user", "created", "attempts", "status", Column("reason", overflow="fold"))
    found = with_resources(work)
    for each in found[:limit]:
        created = f"{each.created_at:%Y-%m-%d %H:%M:%S}"
        user, attempts, reason = str(each.user_ref or ""), str(each.attempts), escape(each.last_error or "")
        table.add_row(str(each.brand_ref), str(each.ref), each.kind, user, created, attempts, _status(each), reason)
    out.print(table)
    say_if_more(found, limit)


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


@app.command()
def preview(
    kind: Annotated[str | None, typer.Argument(help="A kind of mail; without one, all of them.")] = None,
    brand: Annotated[int, typer.Option(help="The brand in whose name and appearance the mails are.")] = 1,
    language: Annotated[str, typer.Option(help="The language of the account holder.")] = "en",
    folder: Annotated[
        Path | None, typer.Option(file_okay=False, help="Write the mails here as .html and .txt.")
    ] = None,
) -> None:
    """Show mails with sample content, as account holders of a brand would get them. Nothing is sent."""
    chosen = [each for name, each in MAIL.kinds.items() if kind in (None, name)]
    if not chosen:
        err.print(f"There is no kind of mail {escape(str(kind))}; there are {', '.join(MAIL.kinds)}.", style="red")
        raise typer.Exit(1)

    async def work(resources: Resources) -> list[tuple[str, Rendered]]:
        async with resources.database.transaction(brand) as tx:
            look, own = await MAIL.find_brand(tx), await store.own_templates(tx)
        url = resources.settings.service_url
        return [(each.name, samples.preview(each, language, look, own, url)) for each in chosen]

    for name, rendered in with_resources(work):
        if folder is None:
            typer.echo(f"{name}\nSubject: {rendered.subject}\n\n{rendered.text}")
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for extension, text in (("html", rendered.html), ("txt", f"Subject: {rendered.subject}\n\n{rendered.text}")):
            (folder / f"{name}.{language}.{extension}").write_text(text, encoding="utf-8")
    if folder is not None:
        out.print(f"Wrote {len(chosen)} mail{'' if len(chosen) == 1 else 's'} to {escape(str(folder))}.")


def _status(mail: ListedMail) -> str:
    if mail.sent_at is not None:
        return f"sent {mail.sent_at:%Y-%m-%d %H:%M:%S}"
    if mail.failed_at is not None:
        return f"failed {mail.failed_at:%Y-%m-%d %H:%M:%S}"
    return f"waits until {mail.next_attempt_at:%Y-%m-%d %H:%M:%S}"
