from typing import Annotated, Literal

import msgspec

from sitewright.domains.dns.rules import MAX_TTL, MIN_TTL
from sitewright.domains.dns.template import TTL
from sitewright.domains.dns.values import MAX_NUMBER, MAX_TXT_BYTES
from sitewright.kit.http.about import about

RecordType = Literal["A", "AAAA", "CNAME", "MX", "TXT", "SRV", "CAA", "NS"]
NAME = "shop.joes-bakery.com"
Type = Annotated[RecordType, about("The type; NS only for names below the domain.", "A")]
Ttl = Annotated[int, about("For how many seconds resolvers may keep the record.", TTL, ge=MIN_TTL, le=MAX_TTL)]


class DnsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record of a domain's DNS zone."""

    ref: Annotated[int, about("The record's number.", 12)]
    type: Type
    name: Annotated[str, about("The complete name, in ASCII, without a final dot.", NAME)]
    value: Annotated[
        str,
        about(
            "An address, a host name or a text; SRV: weight, port, host; CAA: flags, tag, value. MX of `.`: no mail.",
            "192.0.2.10",
        ),
    ]
    ttl: Annotated[int, about("For how many seconds resolvers may keep the record.", TTL)]
    priority: Annotated[int | None, about("Of MX and SRV records, the smallest first; otherwise null.", None)]
    owner: Annotated[
        Literal["service", "holder"],
        about("`service`: the record follows the service's template; `holder`: it is kept as it is.", "holder"),
    ]


class DnsRecordFields(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a record that can be set."""

    type: Type
    name: Annotated[
        str,
        about("`@` for the domain itself, a name like `shop` below it, or a complete name.", "shop", max_length=255),
    ]
    value: Annotated[
        str,
        about(
            'An address, a complete host name or a text; SRV: "weight port host"; CAA: "flags tag value".',
            "192.0.2.10",
            min_length=1,
            max_length=MAX_TXT_BYTES,
        ),
    ]
    ttl: Ttl = TTL
    priority: (
        Annotated[int, about("Required for MX and SRV, the smallest first.", None, ge=0, le=MAX_NUMBER)] | None
    ) = None


EXAMPLE = {
    "ref": 12, "type": "A", "name": NAME, "value": "192.0.2.10", "ttl": TTL, "priority": None, "owner": "holder",
}  # fmt: skip


class DnsRecordResponse(msgspec.Struct, frozen=True):
    """One record."""

    record: Annotated[DnsRecord, about("The record.", EXAMPLE)]


class DnsRecords(msgspec.Struct, frozen=True):
    """The records of a domain."""

    records: Annotated[list[DnsRecord], about("First added first.", [EXAMPLE])]
