"""Reads from the database what the service knows of a host or an account domain, before it is checked."""

import msgspec

from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.domains.dns import service as dns
from sitewright.domains.health import store
from sitewright.domains.health.store import Key
from sitewright.domains.health.subjects import Registration, Subject
from sitewright.domains.mailboxes import service as mailboxes
from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.sites.sites.service import SiteState, offline_reason

DKIM = "._domainkey."


async def read_subject(tx: Transaction, settings: Settings, brand_ref: int, key: Key) -> Subject | None:
    """None if there is no such host or domain any more."""
    if key.kind == "domain":
        mapped = await _mapped(tx, brand_ref, key.ref)
        registered = None if mapped is None else await account_domains.find_by_name(tx, mapped.registered)
        return mapped if mapped is None or registered is None else await _registered(tx, settings, mapped, registered)
    domain = await account_domains.find_registered(tx, key.ref)
    if domain is None or domain.deleted:
        return None
    mapping = await store.find_mapping(tx, domain.domain)
    mapped = None if mapping is None else await _mapped(tx, brand_ref, mapping)
    subject = mapped or Subject(host=domain.domain, brand_ref=brand_ref, user_ref=domain.user_ref)
    return await _registered(tx, settings, subject, domain)


async def _mapped(tx: Transaction, brand_ref: int, domain_ref: int) -> Subject | None:
    found = await store.find_mapped(tx, domain_ref)
    if found is None:
        return None
    state = SiteState(
        is_published=found.is_published,
        is_live=found.is_live,
        is_enabled=found.is_enabled,
        is_owner_suspended=found.is_owner_suspended,
        is_owner_deleted=found.is_owner_deleted,
    )
    subject = Subject(
        host=found.host,
        brand_ref=brand_ref,
        domain_ref=domain_ref,
        site_ref=found.site_ref,
        user_ref=found.user_ref,
        protocol=found.protocol,
        is_online=offline_reason(state) is None,
        mapped_at=found.mapped_at,
        language=found.language,
    )
    sibling = subject.sibling
    is_mapped = sibling is not None and await store.find_mapping(tx, sibling) is not None
    return msgspec.structs.replace(subject, sibling_is_mapped=is_mapped)


async def _registered(tx: Transaction, settings: Settings, subject: Subject, domain: AccountDomain) -> Subject:
    """With what the service knows of the account domain and its zone."""
    zone = await dns.zone_state(tx, settings, domain.ref)
    registration = Registration(
        ref=domain.ref,
        domain=domain.domain,
        status=domain.status,
        ends_at=domain.expires_at,
        renews=domain.auto_renew,
        has_mailboxes=await mailboxes.has_mailboxes(tx, domain.ref),
    )
    return msgspec.structs.replace(
        subject,
        registration=registration,
        name_servers=tuple(each.lower() for each in zone.name_servers),
        dkim=await _dkim(tx, domain) if zone.is_managed and registration.has_mailboxes else None,
    )


async def _dkim(tx: Transaction, domain: AccountDomain) -> tuple[str, str] | None:
    """Name and value of the record of the domain's key."""
    records = await dns.list_records(tx, domain)
    matching = ((each.name, each.value) for each in records if each.type == "TXT" and DKIM in each.name)
    return next(matching, None)
