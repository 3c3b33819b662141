"""All pages of customers."""

from sitewright.web.console.customers import confirm_pages, customer_pages, edit_pages, list_pages, package_pages

PAGES = [
    *list_pages.PAGES,
    *customer_pages.PAGES,
    *edit_pages.PAGES,
    *package_pages.PAGES,
    *confirm_pages.PAGES,
]
