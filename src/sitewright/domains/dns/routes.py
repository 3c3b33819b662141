from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.errors import AccountDomainNotFound
from sitewright.domains.dns import service
from sitewright.domains.dns.errors import DnsNotManaged, DnsRecordFixed, DnsRecordLimitReached, DnsRecordNotFound
from sitewright.domains.dns.schemas import DnsRecordFields, DnsRecordResponse, DnsRecords
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.call import plain_body
from sitewright.kit.paging import ListQuery, set_links
from sitewright.kit.validation import parse

RECORDS = "/account-domains/{account_domain_ref:int}/dns-records"
RECORD = RECORDS + "/{record_ref:int}"


@endpoint("GET", RECORDS, query=ListQuery, list_field="records", errors=(AccountDomainNotFound,))
async def list_dns_records(call: Call, account_domain_ref: int) -> DnsRecords:
    """The DNS records of a domain; none if its DNS is managed elsewhere.

    The records of an RRset are served with the smallest of their times to live.
    """
    domain = await account_domains.find_by_ref(call.tx, call.caller, account_domain_ref)
    window = call.query(ListQuery).window
    records, page = await service.page_of_records(call.tx, domain, window)
    set_links(call, window, page)
    return DnsRecords(records)


@endpoint(
    "POST",
    RECORDS,
    status=201,
    body=DnsRecordFields,
    errors=(AccountDomainNotFound, DnsNotManaged, DnsRecordLimitReached),
)
async def create_dns_record(call: Call, account_domain_ref: int) -> DnsRecordResponse:
    """Add a record to a domain's zone. The name servers have it within seconds.

    A record that would break the zone is refused: a CNAME next to others, a second SPF record, a name outside the zone.
    """
    domain = await account_domains.find_by_ref(call.tx, call.caller, account_domain_ref, lock=True)
    fields, settings = _fields(call), call.resources.settings
    return DnsRecordResponse(await service.create_record(call.tx, settings, call.caller, domain, fields))


@endpoint(
    "PUT",
    RECORD,
    body=DnsRecordFields,
    errors=(AccountDomainNotFound, DnsRecordNotFound, DnsNotManaged, DnsRecordFixed),
)
async def edit_dns_record(call: Call, account_domain_ref: int, record_ref: int) -> DnsRecordResponse:
    """Replace a record. One of the service's becomes the account holder's, and no longer follows the template."""
    domain = await account_domains.find_by_ref(call.tx, call.caller, account_domain_ref, lock=True)
    record = await service.find_record(call.tx, domain, record_ref)
    fields, settings = _fields(call), call.resources.settings
    return DnsRecordResponse(await service.edit_record(call.tx, settings, call.caller, domain, record, fields))


@endpoint(
    "DELETE",
    RECORD,
    status=204,
    errors=(AccountDomainNotFound, DnsRecordNotFound, DnsNotManaged, DnsRecordFixed),
)
async def delete_dns_record(call: Call, account_domain_ref: int, record_ref: int) -> None:
    """Delete a record. One of the service's does not come back."""
    domain = await account_domains.find_by_ref(call.tx, call.caller, account_domain_ref, lock=True)
    record = await service.find_record(call.tx, domain, record_ref)
    await service.delete_record(call.tx, call.resources.settings, call.caller, domain, record)


def _fields(call: Call) -> DnsRecordFields:
    """Of a record alone, or of one that is sent as responses have it, in `record`."""
    body = plain_body(call.request)
    record = body.get("record")
    return (
        parse(DnsRecordFields, record)
        if body.keys() == {"record"} and isinstance(record, dict)
        else call.body(DnsRecordFields)
    )


endpoints = [list_dns_records, create_dns_record, edit_dns_record, delete_dns_record]
