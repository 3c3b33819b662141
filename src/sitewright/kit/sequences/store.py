from sitewright.kit.db import Transaction

SHORT_GAP = 100_000
"""More refs than are taken while a statement runs."""


async def advance(owner: Transaction, table: str, column: str, at_least: int) -> None:
    """Make the next refs of a column greater than this one. Sequences only grow, and are not rolled back.

    Others take refs at the same time: a short gap is closed as they do, so that the sequence is not set back. So is a
    sequence that was never used, whose beginning only `nextval` knows.
    """
    await owner.execute(
        "select case when s.gap > $4 then setval(s.name, $3)"
        "            else (select count(ref) from (select nextval(s.name) as ref from generate_series(1, s.gap)) t) end"
        " from (select name, $3 - coalesce(pg_sequence_last_value(name), nextval(name)) as gap"
        "         from (select pg_get_serial_sequence($1, $2)::regclass as name) n) s",
        f"public.{table}",
        column,
        at_least,
        SHORT_GAP,
    )
