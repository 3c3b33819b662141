"""Routes of the pages that create sites and change settings, with their descriptions."""

from sitewright.web.account import (
    domain_routes,
    first_page_pages,
    new_site_pages,
    overview_pages,
    package_pages,
    site_pages,
    visits_pages,
)
from sitewright.web.account.authenticated_pages import authenticated_page
from sitewright.web.account.first_page_pages import FirstPageForm
from sitewright.web.account.new_site import NewSiteForm
from sitewright.web.account.overview_pages import OverviewQuery
from sitewright.web.account.page_routes import SITE, form_route, page_route
from sitewright.web.account.site_settings import SettingsForm
from sitewright.web.account.visits_pages import VisitsQuery

ACCOUNT_PAGE = page_route(
    "/account",
    "showAccount",
    "The account holder's own page: sites and package.",
    "In the brand's name and the account holder's language, like every page here.",
    OverviewQuery,
)
PACKAGE_PAGE = page_route(
    "/account/package",
    "showOwnPackage",
    "The account holder's package.",
    "Its price and limits, the charges to come, add-ons, domains and mailboxes, and where to buy or change them.",
    None,
)
HOME_PAGE = page_route(
    f"{SITE}/home",
    "showOwnHomePage",
    "A site's home page, as it is now.",
    "For a frame of the overview, without scripts. With `If-None-Match` it is rendered only if the site has changed.",
    None,
    {304: "Not modified.", 409: "A page: the template cannot render the site."},
)
NEW_SITE_PAGE = page_route(
    "/account/sites/new",
    "showNewSite",
    "The form that creates a site.",
    "Name, template, and an address below the brand's domain or a domain of one's own.",
    None,
)
CREATE_SITE = form_route(
    "/account/sites",
    "createOwnSite",
    "Create a site.",
    "Redirects to the site's page. Without an address the site gets a free one below the brand's domain.",
    NewSiteForm,
)
SETTINGS = form_route(
    f"{SITE}/settings",
    "saveSiteSettings",
    "Save the settings of a site.",
    "Its main address, whether other addresses lead there, and the protocol.",
    SettingsForm,
)
FIRST_PAGE = page_route(
    f"{SITE}/first-page",
    "showFirstPage",
    "The form that writes the first page of a site.",
    "For brands without an editor.",
    None,
)
WRITE_FIRST_PAGE = form_route(
    f"{SITE}/first-page",
    "writeFirstPage",
    "Write the first page of a site.",
    "It becomes the home page. Visitors see it after the next publish.",
    FirstPageForm,
)
VISITS_PAGE = page_route(
    f"{SITE}/visits",
    "showOwnVisits",
    "The visits to a site.",
    "By day, with the pages seen and the websites that visitors came from, where the package has statistics.",
    VisitsQuery,
)
PAGES = [
    authenticated_page(ACCOUNT_PAGE, overview_pages.show_account),
    authenticated_page(PACKAGE_PAGE, package_pages.show_package),
    authenticated_page(HOME_PAGE, overview_pages.show_home, prepare=overview_pages.prepare_home),
    authenticated_page(NEW_SITE_PAGE, new_site_pages.show_form),
    authenticated_page(CREATE_SITE, new_site_pages.create, new_site_pages.show_form_again),
    authenticated_page(SETTINGS, site_pages.save_settings, site_pages.show_site_again),
    authenticated_page(FIRST_PAGE, first_page_pages.show_form),
    authenticated_page(WRITE_FIRST_PAGE, first_page_pages.write, first_page_pages.show_form_again),
    authenticated_page(VISITS_PAGE, visits_pages.show_visits),
    *domain_routes.PAGES,
]
