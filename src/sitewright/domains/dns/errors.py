from sitewright.kit.problems import Conflict, Invalid, NotFound


class DnsRecordNotFound(NotFound):
    code = "dnsRecordNotFound"
    title = "No such DNS record"
    detail = "The domain has no DNS record with this ref, or it was deleted."


class DnsRecordFixed(Invalid):
    code = "dnsRecordFixed"
    title = "This record cannot be changed"
    detail = "The name servers of the domain itself are the service's. Other name servers are set at the registrar."


class DnsRecordNotRestorable(Conflict):
    code = "dnsRecordNotRestorable"
    title = "This record was not the service's"
    detail = "Only a record that the account holder has taken over from the service can be given back."


class DnsNotManaged(Conflict):
    code = "dnsNotManaged"
    title = "The DNS of this domain is managed elsewhere"
    detail = (
        "The service has no zone for this domain. Change its records at the provider that its name servers belong to."
    )


class DnsRecordLimitReached(Conflict):
    code = "dnsRecordLimitReached"
    title = "The zone has the maximum number of records"
    detail = "Delete records that are no longer needed, or combine them."


class DnsUnavailable(Exception):
    """The name server was not reached, refused a change, or does not serve it in time. The text is for operators."""
