"""Composition of the JSON API: the endpoints, pages and lifecycle hooks of all features."""

from collections.abc import Sequence
from functools import partial

from sitewright.accounts.account_packages import mails as package_mails
from sitewright.accounts.account_packages import package_events
from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.account_packages.exports import store as package_exports
from sitewright.accounts.account_packages.hooks import add_ons_changed, live_sites_limited
from sitewright.accounts.account_packages.sweep import store as due_packages
from sitewright.accounts.account_packages.sweep.failures.operating import figures as billing_figures
from sitewright.accounts.account_packages.sweep.service import DuePackages
from sitewright.accounts.clocks import routes as clock_routes
from sitewright.accounts.clocks.due_work import due_work
from sitewright.accounts.mailed_links import mails as mailed_link_mails
from sitewright.accounts.mailed_links import routes as mailed_link_routes
from sitewright.accounts.profiles import mails as profile_mails
from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.profiles import store as profile_store
from sitewright.accounts.profiles.hooks import profile_media_named
from sitewright.accounts.reports import download as report_download
from sitewright.accounts.reports import report_events
from sitewright.accounts.reports import routes as report_routes
from sitewright.accounts.reports import service as report_service
from sitewright.accounts.reports import store as reports
from sitewright.accounts.reports.hooks import data_exported
from sitewright.accounts.resellers import reseller_events
from sitewright.accounts.resellers import routes as reseller_routes
from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.resellers.prices import routes as reseller_price_routes
from sitewright.accounts.search import service as search
from sitewright.accounts.search.hooks import reseller_terms_collected, user_terms_collected
from sitewright.accounts.users import mails as user_mails
from sitewright.accounts.users import package_routes as user_package_routes
from sitewright.accounts.users import profile_routes as user_profile_routes
from sitewright.accounts.users import routes as user_routes
from sitewright.accounts.users import searching as user_search
from sitewright.accounts.users import store as user_store
from sitewright.accounts.users import user_events
from sitewright.accounts.users.hooks import access_revoked, user_erased
from sitewright.accounts.users.recipients import find_recipients
from sitewright.catalogue.packages import routes as package_routes
from sitewright.catalogue.templates import routes as template_routes
from sitewright.catalogue.templates import thumbnails
from sitewright.demo.service import THUMBNAILS, read_demo
from sitewright.domains.account_domains import domain_events
from sitewright.domains.account_domains import observers as domain_observers
from sitewright.domains.account_domains import routes as account_domain_routes
from sitewright.domains.account_domains import store as account_domains
from sitewright.domains.account_domains.due_work import DueDomains
from sitewright.domains.account_domains.hooks import domains_ended, domains_registered, domains_released
from sitewright.domains.certificates import certificate_events
from sitewright.domains.certificates import routes as certificate_routes
from sitewright.domains.certificates import service as certificate_service
from sitewright.domains.certificates import store as certificates
from sitewright.domains.certificates.acme import observers as acme_observers
from sitewright.domains.certificates.acme import service as acme
from sitewright.domains.certificates.acme import store as acme_store
from sitewright.domains.certificates.acme.figures import collect_metrics as acme_metrics
from sitewright.domains.certificates.expiry import collect_metrics as certificate_metrics
from sitewright.domains.certificates.hooks import hosts_certified
from sitewright.domains.certificates.mails import CERTIFICATE_EXPIRING
from sitewright.domains.dns import observers as dns_observers
from sitewright.domains.dns import routes as dns_routes
from sitewright.domains.dns import store as dns_zones
from sitewright.domains.dns.metrics import collect_metrics as dns_metrics
from sitewright.domains.dns.records import store as dns_records
from sitewright.domains.health import health_events
from sitewright.domains.health import observers as health_observers
from sitewright.domains.health import routes as health_routes
from sitewright.domains.health import store as domain_checks
from sitewright.domains.health.hooks import host_checked
from sitewright.domains.health.mails import DOMAIN_FAILING
from sitewright.domains.mailboxes import mailbox_events
from sitewright.domains.mailboxes import routes as mailbox_routes
from sitewright.domains.mailboxes import service as mailbox_service
from sitewright.domains.mailboxes import store as mailboxes
from sitewright.domains.mailboxes.hooks import mailboxes_changed
from sitewright.edge import contact, message_event
from sitewright.edge.mails import CONTACT_MESSAGE, CONTACT_REPLY
from sitewright.edge.messages import service as contact_messages
from sitewright.edge.statistics import routes as statistics_routes
from sitewright.edge.statistics import service as statistics
from sitewright.events import service as events
from sitewright.events.kinds import EventKind
from sitewright.events.kinds import by_name as event_kinds_by_name
from sitewright.kit import mail, tokens
from sitewright.kit.http import assets_page, health, idempotency, metrics, site_fonts_page
from sitewright.kit.http.api_app import ApiApp
from sitewright.kit.http.asgi import HttpApp
from sitewright.kit.http.endpoint import Endpoint
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.routing import Route, Router
from sitewright.kit.jobs import store as jobs
from sitewright.kit.lifecycle import Lifecycle
from sitewright.kit.mail import store as mails
from sitewright.kit.mail_features import MailFeatures
from sitewright.kit.mail_kinds import by_name
from sitewright.kit.resources import Resources
from sitewright.kit.sealed_columns import KIT_SEALED_COLUMNS, SealedColumn
from sitewright.kit.signing import pages as signing_pages
from sitewright.kit.signing import store as signing_keys
from sitewright.kit.tokens import store as token_store
from sitewright.provisioning.accounts import routes as provisioned_account_routes
from sitewright.provisioning.accounts import service as provisioned_accounts
from sitewright.provisioning.accounts import store as provisioned_account_store
from sitewright.provisioning.drift import routes as drift_routes
from sitewright.sites.content import routes as content_routes
from sitewright.sites.content import service as content
from sitewright.sites.content.changes import service as content_changes
from sitewright.sites.content.exports import store as content_exports
from sitewright.sites.content.hooks import media_named
from sitewright.sites.media import places as media_places
from sitewright.sites.media import routes as media_routes
from sitewright.sites.media import service as media
from sitewright.sites.media import store as media_store
from sitewright.sites.media.delivery import routes as media_files
from sitewright.sites.media.exports import service as media_exports
from sitewright.sites.publishing import publish_event
from sitewright.sites.publishing import routes as publishing_routes
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.previews import service as previews
from sitewright.sites.sites import routes as site_routes
from sitewright.sites.sites import service as sites
from sitewright.sites.sites import site_events
from sitewright.sites.sites import store as site_store
from sitewright.sites.sites.domains import routes as site_domain_routes
from sitewright.sites.sites.domains import service as site_domains
from sitewright.sites.sites.erasure import routes as site_erasure_routes
from sitewright.sites.sites.erasure import service as site_erasures
from sitewright.sites.sites.erasure import store as site_erasure_store
from sitewright.sites.sites.erasure.due_work import DueErasures
from sitewright.sites.sites.hooks import (
    certificates_collected,
    domains_mapped,
    domains_unmapped,
    site_counted,
    site_erased,
)
from sitewright.statistics import routes as brand_statistics_routes
from sitewright.tenants.brands import routes as brand_routes
from sitewright.tenants.brands.service import find_mail_brand
from sitewright.tenants.brands.settings import routes as brand_settings_routes
from sitewright.tenants.credentials import store as credentials
from sitewright.tenants.credentials.api_credentials import routes as api_credential_routes
from sitewright.tenants.credentials.invitations import routes as invitation_routes
from sitewright.tenants.credentials.invitations.mails import OPERATOR_INVITATION
from sitewright.tenants.credentials.operators import routes as operator_routes
from sitewright.tenants.credentials.second_factor import store as second_factors
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
from sitewright.web.login.service import LOG_IN
from sitewright.web.preview import pages as preview_pages
from sitewright.web.start import pages as start_pages
from sitewright.web.start import pictures as brand_pictures
from sitewright.web.start.error_brand import ErrorBrands
from sitewright.webhooks import routes as webhook_routes
from sitewright.webhooks import service as webhook_service
from sitewright.webhooks import store as webhooks
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

MAIL_KINDS = [
    user_mails.WELCOME,
    mailed_link_mails.PASSWORD_RESET,
    mailed_link_mails.EMAIL_VERIFICATION,
    profile_mails.PROFILE_VERIFICATION,
    user_mails.PASSWORD_CHANGED,
    mailed_link_mails.EMAIL_CHANGE,
    user_mails.EMAIL_CHANGED,
    user_mails.DELETION_REQUESTED,
    user_mails.DELETION_RECEIVED,
    package_mails.TRIAL_ENDING,
    package_mails.TRIAL_ENDED,
    package_mails.SUBSCRIBED,
    package_mails.UPGRADED,
    package_mails.DOWNGRADED,
    package_mails.CANCELLED,
    package_mails.RENEWED,
    package_mails.DOMAIN_ORDERED,
    package_mails.DOMAIN_RENEWED,
    package_mails.DOMAIN_ENDED,
    package_mails.DOMAIN_FAILED,
    CONTACT_MESSAGE,
    CONTACT_REPLY,
    CERTIFICATE_EXPIRING,
    DOMAIN_FAILING,
    OPERATOR_INVITATION,
]
MAIL = MailFeatures(
    kinds=by_name(MAIL_KINDS), find_recipients=find_recipients, find_brand=find_mail_brand, login_path=LOG_IN
)

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

SEALED_COLUMNS: list[SealedColumn] = [
    *credentials.SEALED_COLUMNS,
    *second_factors.SEALED_COLUMNS,
    *KIT_SEALED_COLUMNS,
    *certificates.SEALED_COLUMNS,
    *acme_store.SEALED_COLUMNS,
    *dns_zones.SEALED_COLUMNS,
    *webhooks.SEALED_COLUMNS,
    *signing_keys.SEALED_COLUMNS,
]
"""Every column of encrypted values, for the rotation of the master key."""

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


LIFECYCLE = Lifecycle(
    due_work.done_by(DuePackages(), DueDomains(), DueErasures()),
    live_sites_limited.observed_by(sites.take_offline),
    add_ons_changed.observed_by(domain_observers.on_add_ons_changed),
    access_revoked.observed_by(mailbox_service.revoke_login_tokens),
    user_erased.observed_by(
        search.erase_user,
        tokens.erase_user,
        mail.erase_user,
        idempotency.erase_user,
        profiles.erase_user,
        account_packages.erase_user,
        mailbox_service.erase_user,
        contact.erase_messages,
        statistics.erase_user,
        media.erase_user,
        publishing.erase_user,
        previews.erase_user,
        content_changes.erase_user,
        report_service.erase_user,
        domain_observers.erase_user,
        health_observers.erase_user,
        provisioned_accounts.erase_user,
        site_erasures.erase_user,
    ),
    media_named.observed_by(media_places.check_content),
    profile_media_named.observed_by(media_places.check_profile),
    data_exported.observed_by(
        user_store.export_user,
        profile_store.export_user,
        package_exports.export_user,
        site_store.export_user,
        content_exports.export_user,
        media_exports.export_user,
        account_domains.export_user,
        mailboxes.export_user,
        dns_records.export_user,
        contact_messages.export_user,
        mails.export_user,
        token_store.export_user,
        provisioned_account_store.export_user,
    ),
    user_terms_collected.observed_by(
        user_search.collect_terms, site_domains.collect_terms, domain_observers.collect_terms
    ),
    reseller_terms_collected.observed_by(resellers.collect_terms),
    domains_registered.observed_by(dns_observers.on_domains_registered),
    domains_released.observed_by(dns_observers.on_domains_released),
    domains_ended.observed_by(mailbox_service.on_domains_ended, health_observers.on_domains_ended),
    mailboxes_changed.observed_by(dns_observers.on_mailboxes_changed),
    domains_mapped.observed_by(health_observers.on_domains_mapped),
    domains_unmapped.observed_by(certificate_service.on_domains_unmapped, acme_observers.on_domains_unmapped),
    host_checked.observed_by(acme_observers.on_host_checked),
    hosts_certified.observed_by(health_observers.on_hosts_certified),
    certificates_collected.observed_by(acme.collect_certificates),
    site_counted.observed_by(
        site_domains.count_domains,
        content.count_site,
        media.count_site,
        publishing.count_site,
        contact_messages.count_site,
    ),
    site_erased.observed_by(
        mail.erase_site, idempotency.erase_site, webhook_service.erase_site, events.erase_site, media.erase_site
    ),
)
"""What changes of one feature mean for others: every lifecycle hook with its observers, called in this order."""


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
        report_download.Download(),
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
