"""Responses to queries, as an authoritative server gives them; aliases are followed as far as they are known here."""

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataset
import dns.rdatatype
import dns.rrset

from sitewright.demo.name_server.records import Records

MAX_ALIASES = 8


def respond(records: Records, query: dns.message.Message, *, fallback: bool) -> dns.message.Message:
    """The complete response to a query with one question."""
    response = dns.message.make_response(query, recursion_available=fallback)
    [question] = query.question
    zone = records.zone_of(question.name)
    if zone is None:
        response.set_rcode(dns.rcode.REFUSED)
        return response
    response.flags |= dns.flags.AA
    found, last = _follow(records, response, question.name, question.rdtype, fallback=fallback)
    if not found:
        missing = records.zone_of(last)
        if records.sets_at(last, fallback=fallback) is None and missing is not None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        if missing is not None:
            response.authority.append(_rrset(missing, records.serve_soa(missing)))
    return response


def _follow(
    records: Records,
    response: dns.message.Message,
    name: dns.name.Name,
    rdtype: dns.rdatatype.RdataType,
    *,
    fallback: bool,
) -> tuple[bool, dns.name.Name]:
    """Add what the name and its aliases have: whether there is any of the type, and the last name."""
    for _ in range(MAX_ALIASES):
        sets = records.sets_at(name, fallback=fallback) or {}
        wanted = list(sets.values()) if rdtype == dns.rdatatype.ANY else [sets[rdtype]] if rdtype in sets else []
        if wanted:
            response.answer += [_rrset(name, each) for each in wanted]
            return True, name
        alias = sets.get(dns.rdatatype.CNAME)
        if alias is None:
            return False, name
        response.answer.append(_rrset(name, alias))
        name = alias[0].target
    return False, name


def _rrset(name: dns.name.Name, rdataset: dns.rdataset.Rdataset) -> dns.rrset.RRset:
    return dns.rrset.from_rdata_list(name, rdataset.ttl, list(rdataset))
