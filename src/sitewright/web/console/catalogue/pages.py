"""All pages of the catalogue."""

from sitewright.web.console.catalogue import file_pages, package_pages, template_pages

PAGES = [*package_pages.PAGES, *template_pages.PAGES, *file_pages.PAGES]
