"""What every process knows of the features: mail kinds, encrypted columns, and the observers of lifecycle hooks."""

from sitewright.accounts.account_packages import mails as package_mails
from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.account_packages.exports import store as package_exports
from sitewright.accounts.account_packages.hooks import add_ons_changed, live_sites_limited, subscriptions_begun
from sitewright.accounts.account_packages.sweep.service import DuePackages
from sitewright.accounts.clocks.due_work import due_work
from sitewright.accounts.mailed_links import mails as mailed_link_mails
from sitewright.accounts.profiles import mails as profile_mails
from sitewright.accounts.profiles import service as profiles
from sitewright.accounts.profiles import store as profile_store
from sitewright.accounts.profiles.hooks import profile_media_named
from sitewright.accounts.reports import service as report_service
from sitewright.accounts.reports.hooks import data_exported
from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.search import service as search
from sitewright.accounts.search.hooks import reseller_terms_collected, user_terms_collected
from sitewright.accounts.users import mails as user_mails
from sitewright.accounts.users import searching as user_search
from sitewright.accounts.users import store as user_store
from sitewright.accounts.users.hooks import access_revoked, user_erased
from sitewright.accounts.users.recipients import find_recipients
from sitewright.domains.account_domains import observers as domain_observers
from sitewright.domains.account_domains import store as account_domains
from sitewright.domains.account_domains.due_work import DueDomains
from sitewright.domains.account_domains.hooks import domains_ended, domains_registered, domains_released
from sitewright.domains.certificates import service as certificate_service
from sitewright.domains.certificates import store as certificates
from sitewright.domains.certificates.acme import observers as acme_observers
from sitewright.domains.certificates.acme import service as acme
from sitewright.domains.certificates.acme import store as acme_store
from sitewright.domains.certificates.hooks import hosts_certified
from sitewright.domains.certificates.mails import CERTIFICATE_EXPIRING
from sitewright.domains.dns import observers as dns_observers
from sitewright.domains.dns import store as dns_zones
from sitewright.domains.dns.records import store as dns_records
from sitewright.domains.health import observers as health_observers
from sitewright.domains.health.hooks import host_checked
from sitewright.domains.health.mails import DOMAIN_FAILING
from sitewright.domains.mailboxes import service as mailbox_service
from sitewright.domains.mailboxes import store as mailboxes
from sitewright.domains.mailboxes.hooks import mailboxes_changed
from sitewright.edge import contact
from sitewright.edge.mails import CONTACT_MESSAGE, CONTACT_REPLY
from sitewright.edge.messages import service as contact_messages
from sitewright.edge.statistics import service as statistics
from sitewright.events import service as events
from sitewright.kit import mail, tokens
from sitewright.kit.http import idempotency
from sitewright.kit.lifecycle import Lifecycle
from sitewright.kit.mail import store as mails
from sitewright.kit.mail_features import MailFeatures
from sitewright.kit.mail_kinds import by_name
from sitewright.kit.sealed_columns import KIT_SEALED_COLUMNS, SealedColumn
from sitewright.kit.signing import store as signing_keys
from sitewright.kit.tokens import store as token_store
from sitewright.provisioning.accounts import service as provisioned_accounts
from sitewright.provisioning.accounts import store as provisioned_account_store
from sitewright.sites.content import service as content
from sitewright.sites.content.changes import service as content_changes
from sitewright.sites.content.exports import store as content_exports
from sitewright.sites.content.hooks import media_named
from sitewright.sites.media import places as media_places
from sitewright.sites.media import service as media
from sitewright.sites.media.exports import service as media_exports
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.previews import service as previews
from sitewright.sites.sites import service as sites
from sitewright.sites.sites import store as site_store
from sitewright.sites.sites.domains import service as site_domains
from sitewright.sites.sites.erasure import service as site_erasures
from sitewright.sites.sites.erasure.due_work import DueErasures
from sitewright.sites.sites.hooks import (
    certificates_collected,
    domains_mapped,
    domains_unmapped,
    site_counted,
    site_erased,
)
from sitewright.tenants.brands.service import find_mail_brand
from sitewright.tenants.credentials import store as credentials
from sitewright.tenants.credentials.invitations.mails import OPERATOR_INVITATION
from sitewright.tenants.credentials.second_factor import store as second_factors
from sitewright.web.login.service import LOG_IN
from sitewright.webhooks import service as webhook_service
from sitewright.webhooks import store as webhooks

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

LIFECYCLE = Lifecycle(
    due_work.done_by(DuePackages(), DueDomains(), DueErasures()),
    live_sites_limited.observed_by(sites.take_offline),
    add_ons_changed.observed_by(domain_observers.on_add_ons_changed),
    subscriptions_begun.observed_by(acme_observers.on_subscriptions_begun),
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
