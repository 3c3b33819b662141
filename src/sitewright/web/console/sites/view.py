"""The values of a site's page."""

from datetime import date
from typing import Any

import msgspec
from babel.dates import format_skeleton
from markupsafe import Markup

from sitewright.catalogue.templates import service as templates
from sitewright.domains.certificates.acme import service as certificates
from sitewright.domains.health import service as health
from sitewright.edge.statistics import service as statistics
from sitewright.edge.statistics.service import Day, StatisticsNotInPackage
from sitewright.kit.hosts import decode_domain
from sitewright.kit.http.messages import Messages
from sitewright.kit.paging import Window
from sitewright.sites.media import service as media
from sitewright.sites.publishing.versions import service as versions
from sitewright.sites.publishing.versions.service import StaffVersion
from sitewright.sites.sites.domains import service as domains
from sitewright.sites.sites.operating.service import SiteRow, State, state_of
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import AUDIT, CUSTOMERS, SITES
from sitewright.web.console.frame.sizes import size_text
from sitewright.web.console.sites.list_pages import site_name, state_cell
from sitewright.web.domains.service import CertificateView, HealthView, certificate_view, health_view

MAX_DOMAINS = 50
VISIT_DAYS = 30


class DomainView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    url: str
    page: str
    is_main: bool
    health: HealthView
    certificate: CertificateView


class VersionView(msgspec.Struct, frozen=True, kw_only=True):
    ref: int
    published: Markup
    author: str
    size: str
    pages: str
    template: str
    is_current: bool
    restore: str


async def site_values(request: ConsoleRequest, row: SiteRow) -> dict[str, Any]:
    tx, messages = request.tx, request.messages
    mapped = await _domains(request, row)
    design = None if row.template_ref is None else await templates.find_design(tx, row.template_ref)
    stored = await versions.list_for_staff(tx, row.ref)
    return {
        "site": row,
        "name": site_name(row, messages),
        "state": _state_to_explain(row),
        "badge": state_cell(row, messages),
        "owner": row.owner_name or row.owner_username,
        "owner_href": f"{CUSTOMERS}/{row.user_ref}",
        "audit_href": f"{AUDIT}?subject=site&ref={row.ref}",
        "url": None if row.domain is None else f"{row.protocol}://{row.domain}/",
        "template_name": None if design is None else design.directory,
        "created": messages.time(row.created_at),
        "last_publish": None if row.last_publish_at is None else messages.time(row.last_publish_at),
        "deleted": None if row.deleted_at is None else messages.time(row.deleted_at),
        "storage": size_text(await media.storage_bytes_of_site(tx, row.ref), messages),
        "domains": mapped[:MAX_DOMAINS],
        "has_more_domains": len(mapped) > MAX_DOMAINS,
        "versions": [_version(row, each, messages) for each in stored],
        "visits": await _visits(request, row),
    }


def _state_to_explain(row: SiteRow) -> State:
    """Deleting a customer takes the sites offline, too; what to do about that is not to be done by that customer."""
    return "accountHolderDeleted" if row.is_owner_deleted and row.deleted_at is None else state_of(row)


async def _domains(request: ConsoleRequest, row: SiteRow) -> list[DomainView]:
    """One more than is shown where there are more."""
    found, _ = await domains.page_of_domains(request.tx, row.ref, Window(limit=MAX_DOMAINS + 1))
    messages, hosts = request.messages, {each.ref: each.domain for each in found}
    results = await health.read_results(request.tx, hosts, health.messages_in(messages.language))
    states = await certificates.states_of_domains(request.tx, request.resources.settings, list(hosts))
    return [
        DomainView(
            name=decode_domain(each.domain),
            url=f"{row.protocol}://{each.domain}/",
            is_main=each.domain == row.domain,
            page=f"{SITES}/{row.ref}/domains/{each.ref}",
            health=health_view(results[each.ref], messages, states[each.ref]),
            certificate=certificate_view(states[each.ref], messages),
        )
        for each in found
    ]


def _version(row: SiteRow, version: StaffVersion, messages: Messages) -> VersionView:
    return VersionView(
        ref=version.version_ref,
        published=messages.short_time(version.published_at),
        author=_author(version, messages),
        size=size_text(version.bytes, messages),
        pages="-" if version.pages is None else messages.number(version.pages),
        template=version.template or "-",
        is_current=version.is_current,
        restore=f"{SITES}/{row.ref}/versions/{version.version_ref}/restore",
    )


def _author(version: StaffVersion, messages: Messages) -> str:
    author = version.author
    if author is None:
        return "-"
    kind = messages(f"site_author_{author.kind}")
    return kind if author.name is None else f"{author.name} ({kind})"


async def _visits(request: ConsoleRequest, row: SiteRow) -> dict[str, Any] | None:
    """None for a deleted site, and where the package has no statistics."""
    if row.deleted_at is not None:
        return None
    try:
        found = await statistics.read(request.tx, request.caller, row.ref, VISIT_DAYS)
    except StatisticsNotInPackage:
        return None
    return {"total": found.visits, "points": [(_day(day, request.messages), day.visits) for day in found.days]}


def _day(day: Day, messages: Messages) -> str:
    return format_skeleton("MMMd", date.fromisoformat(day.date), locale=messages.language)
