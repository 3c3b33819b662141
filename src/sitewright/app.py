"""Composition of the JSON API: the endpoints, pages and lifecycle hooks of all features."""

from collections.abc import Sequence
from functools import partial

from sitewright.accounts.account_packages import package_events
from sitewright.accounts.account_packages.sweep import store as due_packages
from sitewright.accounts.account_packages.sweep.failures.operating import figures as billing_figures
from sitewright.accounts.clocks import routes as clock_routes
from sitewright.accounts.mailed_links import routes as mailed_link_routes
from sitewright.accounts.reports import download as report_download
from sitewright.accounts.reports import report_events
from sitewright.accounts.reports import routes as report_routes
from sitewright.accounts.reports import store as reports
from sitewright.accounts.resellers import reseller_events
from sitewright.accounts.resellers import routes as reseller_routes
from sitewright.accounts.resellers.prices import routes as reseller_price_routes
from sitewright.accounts.users import package_routes as user_package_routes
from sitewright.accounts.users import profile_routes as user_profile_routes
from sitewright.accounts.users import routes as user_routes
from sitewright.accounts.users import user_events
from sitewright.catalogue.packages import routes as package_routes
from sitewright.catalogue.templates import routes as template_routes
from sitewright.catalogue.templates import thumbnails
from sitewright.demo.service import THUMBNAILS, read_demo
from sitewright.domains.account_domains import domain_events
from sitewright.domains.account_domains import routes as account_domain_routes
from sitewright.domains.account_domains import store as account_domains
from sitewright.domains.certificates import certificate_events
from sitewright.domains.certificates import routes as certificate_routes
from sitewright.domains.certificates.acme import store as acme_store
from sitewright.domains.certificates.acme.figures import collect_metrics as acme_metrics
from sitewright.domains.certificates.expiry import collect_metrics as certificate_metrics
from sitewright.domains.dns import routes as dns_routes
from sitewright.domains.dns import store as dns_zones
from sitewright.domains.dns.metrics import collect_metrics as dns_metrics
from sitewright.domains.health import health_events
from sitewright.domains.health import routes as health_routes
from sitewright.domains.health import store as domain_checks
from sitewright.domains.mailboxes import mailbox_events
from sitewright.domains.mailboxes import routes as mailbox_routes
from sitewright.domains.mailboxes import store as mailboxes
from sitewright.edge import message_event
from sitewright.edge.statistics import routes as statistics_routes
from sitewright.events.kinds import EventKind
from sitewright.events.kinds import by_name as event_kinds_by_name
from sitewright.kit.http import assets_page, health, metrics, site_fonts_page
from sitewright.kit.http.api_app import ApiApp
from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.routing import Route, Router
from sitewright.kit.jobs import store as jobs
from sitewright.kit.mail import store as mails
from sitewright.kit.resources import Resources
from sitewright.kit.signing import pages as signing_pages
from sitewright.provisioning.accounts import routes as provisioned_account_routes
from sitewright.provisioning.drift import routes as drift_routes
from sitewright.sites.content import routes as content_routes
from sitewright.sites.media import routes as media_routes
from sitewright.sites.media import store as media_store
from sitewright.sites.media.delivery import routes as media_files
from sitewright.sites.publishing import publish_event
from sitewright.sites.publishing import routes as publishing_routes
from sitewright.sites.sites import routes as site_routes
from sitewright.sites.sites import site_events
from sitewright.sites.sites.domains import routes as site_domain_routes
from sitewright.sites.sites.erasure import routes as site_erasure_routes
from sitewright.sites.sites.erasure import store as site_erasure_store
from sitewright.statistics import routes as brand_statistics_routes
from sitewright.tenants.brands import routes as brand_routes
from sitewright.tenants.brands.settings import routes as brand_settings_routes
from sitewright.tenants.credentials.api_credentials import routes as api_credential_routes
from sitewright.tenants.credentials.invitations import routes as invitation_routes
from sitewright.tenants.credentials.operators import routes as operator_routes
from sitewright.web import reference
from sitewright.web.account import pages as account_pages
from sitewright.web.account.own_account import pages as own_account_pages
from sitewright.web.console import pages as console_pages
from sitewright.web.editor import frame_pages as editor_frame_pages
from sitewright.web.editor import pages as editor_pages
from sitewright.web.help import pages as help_pages
from sitewright.web.login import pages as login_pages
from sitewright.web.login import password_pages, verification_pages
from sitewright.web.login import routes as login_routes
from sitewright.web.preview import pages as preview_pages
from sitewright.web.start import pages as start_pages
from sitewright.web.start import pictures as brand_pictures
from sitewright.web.start.error_brand import ErrorBrands
from sitewright.webhooks import routes as webhook_routes
from sitewright.webhooks.deliveries import store as webhook_deliveries
from sitewright.webhooks.feed import routes as feed_routes

ENDPOINTS: list[Endpoint] = [
    *brand_routes.endpoints,
    *brand_settings_routes.endpoints,
    *clock_routes.endpoints,
    *operator_routes.endpoints,
    *invitation_routes.endpoints,
    *api_credential_routes.endpoints,
    *package_routes.endpoints,
    *template_routes.endpoints,
    *reseller_routes.endpoints,
    *reseller_price_routes.endpoints,
    *user_routes.endpoints,
    *user_package_routes.endpoints,
    *user_profile_routes.endpoints,
    *mailed_link_routes.endpoints,
    *login_routes.endpoints,
    *site_routes.endpoints,
    *site_erasure_routes.endpoints,
    *site_domain_routes.endpoints,
    *content_routes.endpoints,
    *media_routes.endpoints,
    *publishing_routes.endpoints,
    *statistics_routes.endpoints,
    *certificate_routes.endpoints,
    *account_domain_routes.endpoints,
    *mailbox_routes.endpoints,
    *dns_routes.endpoints,
    *health_routes.endpoints,
    *report_routes.endpoints,
    *webhook_routes.endpoints,
    *feed_routes.endpoints,
    *provisioned_account_routes.endpoints,
    *brand_statistics_routes.endpoints,
    *drift_routes.endpoints,
]
PUBLIC: list[PublicRoute] = [
    *start_pages.PUBLIC,
    *help_pages.PUBLIC,
    *health.PUBLIC,
    *metrics.PUBLIC,
    *reference.PUBLIC,
    *thumbnails.PUBLIC,
    *login_pages.PUBLIC,
    *password_pages.PUBLIC,
    *verification_pages.PUBLIC,
    *account_pages.PUBLIC,
    *own_account_pages.PUBLIC,
    *console_pages.PUBLIC,
    *editor_frame_pages.PUBLIC,
    *editor_pages.PUBLIC,
    *report_download.PUBLIC,
    *brand_pictures.PUBLIC,
    *preview_pages.PUBLIC,
    *media_files.PUBLIC,
    *assets_page.PUBLIC,
    *site_fonts_page.PUBLIC,
    *signing_pages.PUBLIC,
]

EVENT_KINDS: dict[str, EventKind] = event_kinds_by_name(
    [
        *user_events.KINDS,
        *package_events.KINDS,
        *reseller_events.KINDS,
        *report_events.KINDS,
        *site_events.KINDS,
        *publish_event.KINDS,
        *certificate_events.KINDS,
        *health_events.KINDS,
        *domain_events.KINDS,
        *mailbox_events.KINDS,
        *message_event.KINDS,
    ]
)
"""Every kind of event, for subscriptions and the reference."""

OVERDUE: dict[str, metrics.Overdue] = {
    "packages": due_packages.overdue_change,
    "reminders": due_packages.overdue_reminder,
    "mails": mails.overdue,
    "webhooks": webhook_deliveries.overdue,
    "user-reports": reports.overdue,
    "account-domains": account_domains.overdue,
    "mailboxes": mailboxes.overdue,
    "automatic-certificates": acme_store.overdue,
    "dns-zones": dns_zones.overdue,
    "domain-checks": domain_checks.overdue,
    "media-variants": media_store.overdue,
    "site-erasures": site_erasure_store.overdue,
    "jobs": jobs.overdue,
    "schedules": jobs.overdue_schedule,
}
"""Every kind of due work, for the metrics."""


def create_app(resources: Resources, endpoints: Sequence[Endpoint] = ENDPOINTS) -> HttpApp:
    pages: list[Route] = [
        *health.PAGES,
        *reference.reference_pages(
            endpoints, PUBLIC, EVENT_KINDS, resources.settings, partial(read_demo, resources.settings)
        ),
        *thumbnails.thumbnail_pages([THUMBNAILS, resources.settings.data_path / "thumbnails"]),
        *login_pages.PAGES,
        *password_pages.PAGES,
        *verification_pages.PAGES,
        *account_pages.PAGES,
        *own_account_pages.PAGES,
        *console_pages.PAGES,
        *editor_frame_pages.PAGES,
        *editor_pages.PAGES,
        report_download.Download(report_download.PUBLIC[0]),
        *start_pages.PAGES,
        *help_pages.PAGES,
        *brand_pictures.PAGES,
        *preview_pages.PAGES,
        *media_files.PAGES,
        *assets_page.PAGES,
        *site_fonts_page.PAGES,
        *signing_pages.PAGES,
    ]
    figures = metrics.MetricsRoute([certificate_metrics, acme_metrics, dns_metrics, billing_figures], OVERDUE)
    return ApiApp(Router([*endpoints, figures, *pages]), resources, ErrorBrands().find)
