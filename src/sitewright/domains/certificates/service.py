"""Certificates of host names: who may put one where, and which is served."""

import logging
from collections.abc import Sequence

from sitewright.domains.certificates import names, store
from sitewright.domains.certificates.checking import Checked
from sitewright.domains.certificates.errors import CertificateNotFound, DomainNotMapped
from sitewright.domains.certificates.requests import NewValidation
from sitewright.domains.certificates.schemas import Place, ServedCertificate
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.http.brand import BrandRequired
from sitewright.kit.sealing import MasterKeyError, Sealer
from sitewright.tenants.brands import service as brands

MOST_PER_NAME = 3
"""Certificates kept for one name: the one that is served, and longer-lasting ones put before it."""
_log = logging.getLogger("sitewright.certificates")


def key_context(brand_ref: int, domain: str) -> str:
    """What a sealed private key is bound to."""
    return f"certificate/{brand_ref}/{domain}"


async def certificate_for_host(connection: Transaction, sealer: Sealer, host: str) -> ServedCertificate | None:
    """The newest valid one, exact before wildcard. One whose key does not open is passed over."""
    for row in await store.certificates_of_host(connection, host, clock.real_now()):
        try:
            key = sealer.unseal(row.sealed_key, key_context(row.brand_ref, row.domain))
        except MasterKeyError as error:
            _log.error("the key of certificate %d does not open: %s", row.ref, error)
            continue
        return ServedCertificate(row.brand_ref, row.ref, row.chain.encode(), key, row.not_after)
    return None


async def find_place(tx: Transaction, brand_ref: int | None, domain: str, *, removing: bool = False) -> Place:
    """Where `domain`, as the path has it, belongs. `brand_ref` is None for a system-owner who named no brand.

    `removing`: a wildcard is meant for the brand that has a certificate for it.
    """
    try:
        name = names.read_name(domain)
    except ValueError:
        raise DomainNotMapped.named(domain) from None
    if not name.startswith(names.WILDCARD):
        [place] = await find_hosts(tx, brand_ref, [name])
        return place
    if brand_ref is None:
        brand_ref = await _brand_below(tx, name.removeprefix(names.WILDCARD), removing=removing)
    async with store.in_brand(tx, brand_ref):
        await brands.require_brand(tx)
    return Place(name, brand_ref, None)


async def find_hosts(tx: Transaction, brand_ref: int | None, hosts: Sequence[str]) -> list[Place]:
    """Each is mapped, and in this brand where one is given; another brand's answers as one mapped to nobody."""
    found = {each.domain: each for each in await store.hold_mapped_hosts(tx, hosts)} if hosts else {}
    for host in hosts:
        if host not in found or brand_ref not in (None, found[host].brand_ref):
            raise DomainNotMapped.named(host)
    return [Place(host, found[host].brand_ref, found[host].domain_ref) for host in hosts]


async def _brand_below(tx: Transaction, parent: str, *, removing: bool) -> int:
    candidates = await store.brands_below(tx, parent)
    if removing:
        candidates = {brand_ref: True for brand_ref, has_one in candidates.items() if has_one}
        if not candidates:
            raise CertificateNotFound
    if len(candidates) != 1:
        raise BrandRequired
    return next(iter(candidates))


async def put_certificate(
    tx: Transaction, sealer: Sealer, caller: Caller, checked: Checked, places: Sequence[Place]
) -> None:
    """Bound to every place; where these are of several brands, each has its own copy."""
    await store.take_turn(tx, places)
    for brand_ref in dict.fromkeys(place.brand_ref for place in places):
        own = list(dict.fromkeys(place for place in places if place.brand_ref == brand_ref))
        sealed = sealer.seal(checked.key, key_context(brand_ref, own[0].name))
        async with store.in_brand(tx, brand_ref):
            own_names = [place.name for place in own]
            ref = await store.insert_certificate(tx, own_names, checked, sealed, clock.real_now())
            await store.bind(tx, ref, own_names)
            superseded: list[int] = []
            for name in own_names:
                superseded += await store.supersede(tx, name, ref, checked.not_after, MOST_PER_NAME)
            await _delete_unbound(tx, superseded)
            facts = {"fingerprint": checked.fingerprint, "domainRefs": [each.domain_ref for each in own]}
            await audit.record_by(tx, caller, "put certificate", "certificate", ref, **facts)


async def delete_certificate(tx: Transaction, caller: Caller, place: Place) -> None:
    """The name has none any more; a certificate goes with its last name."""
    await store.take_turn(tx, [place])
    async with store.in_brand(tx, place.brand_ref):
        refs = await _unbind(tx, [place.name])
        for ref in refs:
            await audit.record_by(tx, caller, "delete certificate", "certificate", ref, domainRef=place.domain_ref)
    if not refs:
        raise CertificateNotFound


async def on_domains_unmapped(tx: Transaction, domains: Sequence[str]) -> None:
    """Observes sites: a host name that leads to no site has no certificate any more."""
    if domains:
        await _unbind(tx, domains)


async def _unbind(tx: Transaction, domains: Sequence[str]) -> list[int]:
    """Returns the certificates that were bound to these names; those without a name left are deleted."""
    refs = await store.unbind(tx, domains)
    await _delete_unbound(tx, refs)
    return refs


async def _delete_unbound(tx: Transaction, refs: Sequence[int]) -> None:
    if refs:
        await store.delete_unbound(tx, refs)


async def put_validation(tx: Transaction, caller: Caller, place: Place, new: NewValidation) -> None:
    """Served from now on; takes the place of one with the same hash."""
    if place.domain_ref is None:
        raise DomainNotMapped.named(place.name)
    async with store.in_brand(tx, place.brand_ref):
        await store.keep_validation(tx, place.domain_ref, new.hash, new.content)
        await audit.record_by(tx, caller, "put domain validation", "domain", place.domain_ref)
