"""View model of the package page: charges to come, add-ons, domains with mailboxes, and what the package includes."""

from collections.abc import Sequence

import msgspec
from babel.numbers import format_currency
from markupsafe import Markup

from sitewright.accounts.account_packages.service import NextCharge
from sitewright.domains.account_domains.service import AccountDomain
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.messages import Messages
from sitewright.sites.sites.service import Site

MIB = 1024 * 1024
GIB = 1024 * MIB


class ChargeLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the charges to come."""

    what: str
    day: Markup
    amount: str | None
    """None: nothing is charged."""
    ends: bool


class DomainLine(msgspec.Struct, frozen=True, kw_only=True):
    """A registered domain with its mailboxes."""

    name: str
    href: str
    state: str
    term: Markup
    mailboxes: list[str]


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """A limit of the package: what is used, where it is counted for the account, and what is allowed."""

    label: str
    """Its text key."""
    allowed: str
    used: str | None = None
    is_reached: bool = False


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted against the limits of a package."""

    live_sites: int
    mailboxes: int
    free_domains: int
    storage_bytes: int


def use_of(sites: Sequence[Site], domains: Sequence[AccountDomain], mailboxes: int, storage_bytes: int) -> Use:
    return Use(
        storage_bytes=storage_bytes,
        live_sites=sum(site.live for site in sites),
        mailboxes=mailboxes,
        free_domains=sum(domain.is_free and domain.ended_at is None for domain in domains),
    )


def charge_lines(
    charges: Sequence[NextCharge], domains: Sequence[AccountDomain], messages: Messages, zone: str
) -> list[ChargeLine]:
    names = {domain.account_package_ref: decode_domain(domain.domain) for domain in domains}
    return [
        ChargeLine(
            what=names.get(charge.held.ref, charge.held.name),
            day=messages.day(charge.at, zone),
            amount=_amount(charge, messages),
            ends=not charge.renews,
        )
        for charge in charges
    ]


def domain_lines(
    domains: Sequence[tuple[AccountDomain, Sequence[str]]], messages: Messages, zone: str
) -> list[DomainLine]:
    return [
        DomainLine(
            name=decode_domain(domain.domain),
            href=f"/account/domains/{domain.ref}",
            state=domain_state(domain),
            term=domain_term(domain, messages, zone),
            mailboxes=[f"{name}@{decode_domain(domain.domain)}" for name in names],
        )
        for domain, names in domains
    ]


def domain_state(domain: AccountDomain) -> str:
    """The text key of a registered domain's state."""
    if domain.status == "failed":
        return "domain_failed"
    if domain.ended_at is not None:
        return "domain_ended"
    return "domain_active" if domain.active else "domain_pending"


def domain_term(domain: AccountDomain, messages: Messages, zone: str) -> Markup:
    """When a registered domain renews, ends or has ended."""
    if domain.ended_at is not None:
        text = "failed_on" if domain.status == "failed" else "ended_on"
        return messages.html(text, date=messages.day(domain.ended_at, zone))
    return messages.html("renews_on" if domain.auto_renew else "ends_on", date=messages.day(domain.expires_at, zone))


def allowances(capabilities: dict[str, int], use: Use, messages: Messages) -> list[Allowance]:
    """The limits that the service counts, then those that only apply to one site."""
    counted = {"liveSites": use.live_sites, "mailboxes": use.mailboxes, "freeDomains": use.free_domains}
    found = [
        Allowance(
            label=f"allows_{name}",
            allowed=str(capabilities[name]),
            used=str(used),
            is_reached=used >= capabilities[name],
        )
        for name, used in counted.items()
        if capabilities[name] or used
    ]
    if limit := capabilities["storageLimit"]:
        used = use.storage_bytes
        storage = Allowance(
            label="allows_storageLimit",
            allowed=_size(limit, messages),
            used=_size(used, messages),
            is_reached=used >= limit,
        )
        found.append(storage)
    if capabilities["restrictPagesOnPublish"]:
        found.append(Allowance(label="allows_pagesLimited", allowed=str(capabilities["pagesLimited"])))
    return found


def _size(number: int, messages: Messages) -> str:
    size, unit = (number / GIB, "GiB") if number >= GIB else (number / MIB, "MiB")
    return messages(f"size_{unit}", number=messages.number(round(size, 0 if size >= 100 else 1)))


def _amount(charge: NextCharge, messages: Messages) -> str | None:
    if charge.amount is None or charge.currency_code is None:
        return None
    return format_currency(charge.amount, charge.currency_code, locale=messages.language)
