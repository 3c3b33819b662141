"""Columns of the database that hold encrypted (sealed) values. The store of a table declares them, `app.py` lists all.

`sitewright keys rotate` re-encrypts the columns of that list, and a test compares it with the tables.
"""

from string import Formatter

import msgspec


class SealedColumn(msgspec.Struct, frozen=True):
    table: str
    column: str
    context: str
    """What a value is bound to, as a format over the row's columns; the same text that is used to encrypt it."""
    field: str | None = None
    """Where the column is JSON: the field that holds the value in base64."""
    if_lost: str | None = None
    """What happens to values that no key decrypts any more; None where nothing can be done, and nothing has to be."""
    renewal: str | None = None
    """A statement that makes the service replace these values by itself; `{lost}`: the condition that finds them.

    What it returns is shown and kept in the audit log.
    """
    unneeded_since: str | None = None
    """A column of the table: in rows where it is set, nobody needs the value any more, and no key has to decrypt it."""

    @property
    def context_columns(self) -> list[str]:
        return [name for _, name, _, _ in Formatter().parse(self.context) if name]

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


KIT_SEALED_COLUMNS = [
    SealedColumn("idempotent_answers", "answer", "idempotent_answers/{caller}/{key}"),
    SealedColumn("mails", "facts", "mail/{brand_ref}"),
    SealedColumn("jobs.queue", "payload", "{entrypoint}", field="sealed"),
]
