"""The rules of certificates: which names a caller may bind one to, and which one is served."""

import logging
from collections.abc import Sequence

from sitewright.domains.certificates import names, store
from sitewright.domains.certificates.errors import CertificateNotFound, DomainNotMapped
from sitewright.domains.certificates.requests import NewValidation
from sitewright.domains.certificates.schemas import ServedCertificate, Source, Target
from sitewright.domains.certificates.validation import ValidCertificate
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.http.brand import BrandRequired
from sitewright.kit.sealing import MasterKeyError, Sealer
from sitewright.tenants.brands import service as brands

__all__ = [
    "ValidCertificate",
    "bind_automatic",
    "certificate_for_host",
    "delete_certificate",
    "find_hosts",
    "find_target",
    "key_context",
    "on_domains_unmapped",
    "put_automatic",
    "put_certificate",
    "put_validation",
    "unbind_automatic",
]

MAX_PER_NAME = 3
"""Certificates of one source for one name: the one that is served, and earlier ones that last longer."""
ACTOR = "acme"
_log = logging.getLogger("sitewright.certificates")


def key_context(brand_ref: int, domain: str) -> str:
    """The context that a private key is sealed with."""
    return f"certificate/{brand_ref}/{domain}"


async def certificate_for_host(connection: Transaction, sealer: Sealer, host: str) -> ServedCertificate | None:
    """Uploaded before automatic, exact before wildcard, then the newest. Keys that cannot be unsealed are skipped."""
    for row in await store.certificates_of_host(connection, host, clock.real_now()):
        try:
            key = sealer.unseal(row.sealed_key, key_context(row.brand_ref, row.domain))
        except MasterKeyError as error:
            _log.error("the key of certificate %d cannot be unsealed: %s", row.ref, error)
            continue
        return ServedCertificate(row.brand_ref, row.ref, row.chain.encode(), key, row.not_after)
    return None


async def find_target(tx: Transaction, brand_ref: int | None, domain: str, *, removing: bool = False) -> Target:
    """The target for `domain` of the path. `brand_ref` is None for a system-owner who named no brand.

    `removing`: a wildcard belongs to the brand that has a certificate for it.
    """
    try:
        name = names.read_name(domain)
    except ValueError:
        raise DomainNotMapped.named(domain) from None
    if not name.startswith(names.WILDCARD):
        [target] = await find_hosts(tx, brand_ref, [name])
        return target
    if brand_ref is None:
        brand_ref = await _brand_below(tx, name.removeprefix(names.WILDCARD), removing=removing)
    async with store.in_brand(tx, brand_ref):
        await brands.require_brand(tx)
    return Target(name, brand_ref, None)


async def find_hosts(tx: Transaction, brand_ref: int | None, hosts: Sequence[str]) -> list[Target]:
    """Locks the hosts. Raises DomainNotMapped for one that is not mapped, or not by the brand that is given."""
    found = {each.domain: each for each in await store.lock_mapped_hosts(tx, hosts)} if hosts else {}
    for host in hosts:
        if host not in found or brand_ref not in (None, found[host].brand_ref):
            raise DomainNotMapped.named(host)
    return [Target(host, found[host].brand_ref, found[host].domain_ref) for host in hosts]


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
    tx: Transaction, sealer: Sealer, caller: Caller, certificate: ValidCertificate, targets: Sequence[Target]
) -> None:
    """Binds it to every target; if these belong to several brands, each brand gets its own copy."""
    await store.lock_names(tx, targets)
    for brand_ref in dict.fromkeys(target.brand_ref for target in targets):
        own = list(dict.fromkeys(target for target in targets if target.brand_ref == brand_ref))
        async with store.in_brand(tx, brand_ref):
            ref = await _save(tx, sealer, brand_ref, certificate, [target.name for target in own], "uploaded")
            facts = {"fingerprint": certificate.fingerprint, "domainRefs": [each.domain_ref for each in own]}
            await audit.record_by(tx, caller, "put certificate", "certificate", ref, **facts)


async def put_automatic(
    tx: Transaction, sealer: Sealer, brand_ref: int, certificate: ValidCertificate, domains: Sequence[str]
) -> int:
    """Stores a certificate that was obtained for these names of the transaction's brand, and returns its ref.

    It replaces former automatic ones; uploaded ones are kept, and are served before it.
    """
    await store.lock_names(tx, [Target(name, brand_ref, None) for name in domains])
    ref = await _save(tx, sealer, brand_ref, certificate, domains, "automatic")
    await audit.record(
        tx,
        actor=ACTOR,
        action="put certificate",
        subject="certificate",
        ref=ref,
        brand_ref=brand_ref,
        fingerprint=certificate.fingerprint,
    )
    return ref


async def bind_automatic(tx: Transaction, ref: int, domains: Sequence[str]) -> None:
    """Serves an automatic certificate for more of its names, such as one that was mapped later."""
    await store.bind(tx, ref, domains)


async def unbind_automatic(tx: Transaction, domains: Sequence[str]) -> None:
    await _delete_unbound(tx, await store.unbind(tx, domains, "automatic"))


async def _save(
    tx: Transaction,
    sealer: Sealer,
    brand_ref: int,
    certificate: ValidCertificate,
    domains: Sequence[str],
    source: Source,
) -> int:
    sealed = sealer.seal(certificate.key, key_context(brand_ref, domains[0]))
    ref = await store.insert_certificate(tx, domains, certificate, sealed, source, clock.real_now())
    await store.bind(tx, ref, domains)
    superseded: list[int] = []
    for name in domains:
        superseded += await store.supersede(tx, name, ref, source, certificate.not_after, MAX_PER_NAME)
    await _delete_unbound(tx, superseded)
    return ref


async def delete_certificate(tx: Transaction, caller: Caller, target: Target) -> None:
    """Unbinds all uploaded certificates of the name; one without a name left is deleted. Automatic ones are kept."""
    await store.lock_names(tx, [target])
    async with store.in_brand(tx, target.brand_ref):
        refs = await store.unbind(tx, [target.name], "uploaded")
        await _delete_unbound(tx, refs)
        for ref in refs:
            await audit.record_by(tx, caller, "delete certificate", "certificate", ref, domainRef=target.domain_ref)
    if not refs:
        raise CertificateNotFound


async def on_domains_unmapped(tx: Transaction, domains: Sequence[str]) -> None:
    """Observes sites: unbinds the certificates of host names that are no longer mapped to a site."""
    if domains:
        await _delete_unbound(tx, await store.unbind(tx, domains))


async def _delete_unbound(tx: Transaction, refs: Sequence[int]) -> None:
    if refs:
        await store.delete_unbound(tx, refs)


async def put_validation(tx: Transaction, caller: Caller, target: Target, new: NewValidation) -> None:
    """Served from now on; replaces the one with the same hash."""
    if target.domain_ref is None:
        raise DomainNotMapped.named(target.name)
    async with store.in_brand(tx, target.brand_ref):
        await store.save_validation(tx, target.domain_ref, new.hash, new.content)
        await audit.record_by(tx, caller, "put domain validation", "domain", target.domain_ref)
