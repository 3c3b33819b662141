"""All pages of the console."""

from sitewright.kit.http.page import Page
from sitewright.web.console.addresses import pages as addresses_pages
from sitewright.web.console.audit import pages as audit_pages
from sitewright.web.console.catalogue import pages as catalogue_pages
from sitewright.web.console.certificates import pages as certificates_pages
from sitewright.web.console.charges import pages as charges_pages
from sitewright.web.console.credentials import pages as credentials_pages
from sitewright.web.console.customers import pages as customers_pages
from sitewright.web.console.domains import pages as domains_pages
from sitewright.web.console.drift import pages as drift_pages
from sitewright.web.console.events import pages as events_pages
from sitewright.web.console.frame import start_pages
from sitewright.web.console.jobs import pages as jobs_pages
from sitewright.web.console.log_in import pages as log_in_pages
from sitewright.web.console.log_in_as import pages as log_in_as_pages
from sitewright.web.console.mail import pages as mail_pages
from sitewright.web.console.me import pages as me_pages
from sitewright.web.console.overview import pages as overview_pages
from sitewright.web.console.palette import pages as palette_pages
from sitewright.web.console.reports import pages as reports_pages
from sitewright.web.console.resellers import pages as resellers_pages
from sitewright.web.console.settings import pages as settings_pages
from sitewright.web.console.sites import pages as sites_pages
from sitewright.web.console.staff import pages as staff_pages
from sitewright.web.console.system import pages as system_pages
from sitewright.web.console.webhooks import routes as webhook_pages

PAGES: list[Page] = [
    *start_pages.PAGES,
    *log_in_pages.PAGES,
    *log_in_as_pages.PAGES,
    *me_pages.PAGES,
    *overview_pages.PAGES,
    *staff_pages.PAGES,
    *addresses_pages.PAGES,
    *certificates_pages.PAGES,
    *drift_pages.PAGES,
    *credentials_pages.PAGES,
    *settings_pages.PAGES,
    *catalogue_pages.PAGES,
    *system_pages.PAGES,
    *palette_pages.PAGES,
    *customers_pages.PAGES,
    *audit_pages.PAGES,
    *events_pages.PAGES,
    *webhook_pages.PAGES,
    *mail_pages.PAGES,
    *jobs_pages.PAGES,
    *sites_pages.PAGES,
    *domains_pages.PAGES,
    *resellers_pages.PAGES,
    *charges_pages.PAGES,
    *reports_pages.PAGES,
]
PUBLIC = tuple(page.route for page in PAGES)
