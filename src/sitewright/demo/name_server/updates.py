"""RFC 2136: signed changes of a zone, all or none."""

import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdataset
import dns.rdatatype
import dns.rrset
import dns.update

from sitewright.demo.name_server.records import Records

AT_APEX = (dns.rdatatype.SOA, dns.rdatatype.NS)
"""The server's own, which updates leave as they are."""


def update(records: Records, message: dns.update.UpdateMessage) -> dns.message.Message:
    """Apply the message, or respond with the reason why not. A server with a fallback takes any zone as its own."""
    response = dns.message.make_response(message)
    response.set_rcode(_apply(records, message))
    return response


def _apply(records: Records, message: dns.update.UpdateMessage) -> dns.rcode.Rcode:
    if not message.had_tsig:
        return dns.rcode.REFUSED
    [zone] = [each.name for each in message.zone]
    if records.zone_of(zone) != zone and not records.fallback:
        return dns.rcode.NOTAUTH
    if not all(each.name.is_subdomain(zone) for each in [*message.prerequisite, *message.update]):
        return dns.rcode.NOTZONE
    for condition in message.prerequisite:
        if (code := _check(records, condition)) != dns.rcode.NOERROR:
            return code
    records.add_zone(zone)
    for change in message.update:
        if not (change.name == zone and change.rdtype in AT_APEX):
            _change(records, change)
    records.changed(zone)
    return dns.rcode.NOERROR


def _check(records: Records, condition: dns.rrset.RRset) -> dns.rcode.Rcode:
    """RFC 2136, 3.2: `deleting` is the class that the condition had on the wire."""
    sets = records.sets_at(condition.name, fallback=False) or {}
    if condition.deleting == dns.rdataclass.NONE:
        if condition.rdtype == dns.rdatatype.ANY:
            return dns.rcode.YXDOMAIN if sets else dns.rcode.NOERROR
        return dns.rcode.YXRRSET if condition.rdtype in sets else dns.rcode.NOERROR
    if condition.rdtype == dns.rdatatype.ANY:
        return dns.rcode.NOERROR if sets else dns.rcode.NXDOMAIN
    found = sets.get(condition.rdtype)
    is_as_required = found is not None and (condition.deleting is not None or set(found) == set(condition))
    return dns.rcode.NOERROR if is_as_required else dns.rcode.NXRRSET


def _change(records: Records, change: dns.rrset.RRset) -> None:
    """RFC 2136, 3.4.2: class NONE removes records, class ANY RRsets, any other class adds."""
    if change.deleting == dns.rdataclass.ANY:
        if change.rdtype == dns.rdatatype.ANY:
            records.remove(change.name)
        else:
            records.put(change.name, dns.rdataset.Rdataset(dns.rdataclass.IN, change.rdtype))
        return
    stored = (records.sets_at(change.name, fallback=False) or {}).get(change.rdtype)
    kept = [] if stored is None else list(stored)
    if change.deleting == dns.rdataclass.NONE:
        values = [rdata for rdata in kept if rdata not in change]
    else:
        values = [*kept, *(rdata for rdata in change if rdata not in kept)]
    ttl = change.ttl if change.deleting is None or stored is None else stored.ttl
    result = dns.rdataset.Rdataset(dns.rdataclass.IN, change.rdtype)
    for rdata in values:
        result.add(rdata, ttl)
    records.put(change.name, result)
