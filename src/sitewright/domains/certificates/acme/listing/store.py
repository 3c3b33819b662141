from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

_COLUMNS = """
a.ref, a.name, a.is_wildcard, array(select h.host from automatic_certificate_hosts h where h.brand_ref = a.brand_ref
 and h.group_name = a.name order by h.host) as hosts, a.certificate_ref, a.not_after, a.renew_at, a.due_at, a.failures,
 a.failing_since, a.reason_code, a.reason_detail
"""
KEYS = {"ref": SortKey("a.ref")}


class AutomaticCertificateRow(msgspec.Struct, frozen=True):
    ref: int
    name: str
    is_wildcard: bool
    hosts: list[str]
    certificate_ref: int | None
    not_after: datetime | None
    renew_at: datetime | None
    due_at: datetime | None
    failures: int
    failing_since: datetime | None
    reason_code: str | None
    reason_detail: str | None


async def list_rows(
    tx: Transaction, name: str | None, state: str | None, at: datetime, page: PageRequest
) -> Page[AutomaticCertificateRow]:
    """`name`: the beginning of a group's name; `state` at a time, as `acme.service.status_of_group` has it."""
    statement = ListStatement(
        columns=_COLUMNS,
        tables="automatic_certificates a",
        conditions=[
            "a.brand_ref = current_brand()",
            "($1::text is null or $1 = case when a.not_after <= $2 then 'expired' when a.failures > 0 then 'failing'"
            " when a.not_after is null then 'pending' else 'valid' end)",
            "($3::text is null or starts_with(a.name, lower($3)))",
        ],
        parameters=[state, at, name],
        keys=KEYS,
        ref="a.ref",
    )
    found = await read_page(tx, statement, page)
    return found.of(lambda row: AutomaticCertificateRow(*list(row)[:12]))
