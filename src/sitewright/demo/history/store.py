"""Runs the statements of `sql/`, which insert the rows of the history brand with a few large statements each."""

from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.service_login import NAME_RELEASE

STATEMENTS = files("sitewright.demo.history") / "sql"


class Page(msgspec.Struct, frozen=True):
    """What every published site shows."""

    etag: str
    body: bytes
    """Compressed."""
    path: str = ""
    content_type: str = "text/html; charset=utf-8"


async def select_brand(owner: Transaction, brand_ref: int) -> None:
    """Until the end of the transaction. Triggers that only the previous release needs are off."""
    await owner.execute(NAME_RELEASE)
    await owner.execute("select set_config('sitewright.brand_ref', $1, true)", str(brand_ref))


async def read_name(tx: Transaction) -> str | None:
    """The name of the transaction's brand; None if there is none."""
    name: str | None = await tx.fetchval("select name from brand_settings where brand_ref = current_brand()")
    return name


async def has_history(tx: Transaction) -> bool:
    """Whether the transaction's brand has customers."""
    return await tx.fetchval("select exists (select from account_holders where brand_ref = current_brand())") is True


async def generate(owner: Transaction, at: datetime, zone: str, page: Page, mail_facts: Mapping[str, bytes]) -> None:
    """Insert the rows of the transaction's brand as they would be at `at`.

    `zone`: the time zone of days. `mail_facts`: the sealed facts of mails that failed, by kind.
    """
    await owner.execute(
        "select set_config('history.at', $1, true), set_config('history.zone', $2, true)", at.isoformat(), zone
    )
    await owner.execute(
        "set local jit = off; set local work_mem = '64MB';"
        " create temp table history_page (path text, content_type text, etag text, body bytea) on commit drop;"
        " create temp table history_facts (kind text, facts bytea) on commit drop"
    )
    await owner.execute(
        "insert into history_page values ($1, $2, $3, $4)", page.path, page.content_type, page.etag, page.body
    )
    await owner.executemany("insert into history_facts values ($1, $2)", list(mail_facts.items()))
    await _run(owner, STATEMENTS)


async def follow_up(owner: Transaction) -> None:
    """What follows from all rows, certificates included."""
    await _run(owner, STATEMENTS / "follow_up")


async def _run(owner: Transaction, folder: Traversable) -> None:
    for file in sorted((each for each in folder.iterdir() if each.is_file()), key=lambda each: each.name):
        await owner.execute(file.read_text(encoding="utf-8"))


async def list_own_hosts(owner: Transaction, limit: int) -> list[str]:
    """Host names of customers' own domains."""
    rows = await owner.fetch(
        "select domain from mapped_domains where brand_ref = current_brand() and domain like 'www.%'"
        " order by ref limit $1",
        limit,
    )
    return [row["domain"] for row in rows]
