"""Every column of the database that holds sealed values. Who seals a new one adds its line: `keys rotate` seals all of
them anew, and a test compares the list with the tables.
"""

from string import Formatter

import msgspec


class SealedColumn(msgspec.Struct, frozen=True):
    table: str
    column: str
    context: str
    """What a value is bound to, written with the row's columns, exactly as whoever seals it writes it."""
    field: str | None = None
    """Where the column is JSON: the field that holds the value, in base64."""

    @property
    def context_columns(self) -> list[str]:
        return [name for _, name, _, _ in Formatter().parse(self.context) if name]

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


SEALED = [
    SealedColumn("api_credentials", "consumer_secret", "api_credentials/{consumer_key}/consumer"),
    SealedColumn("api_credentials", "access_secret", "api_credentials/{consumer_key}/access"),
    SealedColumn("idempotent_answers", "answer", "idempotent_answers/{caller}/{key}"),
    SealedColumn("mails", "facts", "mail/{brand_ref}"),
    SealedColumn("certificates", "sealed_key", "certificate/{brand_ref}/{domain}"),
    SealedColumn("webhook_secrets", "sealed_secret", "webhook/{brand_ref}"),
    SealedColumn("jobs.queue", "payload", "{entrypoint}", field="sealed"),
]
NOT_SEALED = {
    "idempotent_answers.digest",
    "one_time_tokens.digest",
    "sessions.digest",
    "site_files.body",
    "contact_messages.visitor",
    "mailbox_login_tokens.digest",
    "user_reports.link_key",
    "user_report_pieces.piece",
}
"""Other bytes: digests, files, and what is worth nothing to whoever reads the database."""
