"""All pages of the console."""

from sitewright.kit.http.page import Page
from sitewright.web.console.frame import start_pages
from sitewright.web.console.log_in import pages as log_in_pages
from sitewright.web.console.me import pages as me_pages
from sitewright.web.console.staff import pages as staff_pages

PAGES: list[Page] = [*start_pages.PAGES, *log_in_pages.PAGES, *me_pages.PAGES, *staff_pages.PAGES]
PUBLIC = tuple(page.route for page in PAGES)
