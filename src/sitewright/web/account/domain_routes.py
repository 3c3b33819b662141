"""Routes of the pages of domains and of DNS records, with their descriptions for the API reference."""

from sitewright.web.account import domain_pages, registered_domain_pages
from sitewright.web.account.authenticated_pages import authenticated_page
from sitewright.web.account.domain_pages import ConnectForm, DomainsQuery
from sitewright.web.account.page_routes import SITE, form_route, page_route
from sitewright.web.account.registered_domain_pages import RegisteredDomainQuery
from sitewright.web.account.schemas import Form
from sitewright.web.domains.service import NewRecordQuery, RecordForm

DOMAINS_PAGE = page_route(
    "/account/domains",
    "showOwnDomains",
    "The addresses of the account holder's sites.",
    "With the results of their health checks, their certificates, the DNS records that they need, and a form that"
    " connects a domain.",
    DomainsQuery,
)
CONNECT = form_route(
    "/account/domains",
    "connectOwnDomain",
    "Connect a domain to a site.",
    "Redirects to the page of the domains, which names the DNS records to enter.",
    ConnectForm,
)
DISCONNECT = form_route(
    f"{SITE}/domains/{{domain_ref:int}}/disconnect",
    "disconnectOwnDomain",
    "Disconnect a domain from a site.",
    "Sent by the button of the confirmation. The site and its other addresses stay.",
    Form,
)
CHECK = form_route(
    f"{SITE}/domains/{{domain_ref:int}}/check",
    "checkOwnDomain",
    "Check a domain of a site again.",
    "At most once in 10 seconds. Takes up to 5 seconds, and redirects to the page of the domains.",
    Form,
)
DOMAIN = "/account/domains/{account_domain_ref:int}"
DOMAIN_PAGE = page_route(
    DOMAIN,
    "showRegisteredDomain",
    "A registered domain.",
    "Its health, the state of its DNS zone, and its records by owner.",
    RegisteredDomainQuery,
)
CHECK_DOMAIN = form_route(
    f"{DOMAIN}/check",
    "checkRegisteredDomain",
    "Check a registered domain again.",
    "At most once in 10 seconds. Takes up to 5 seconds, and redirects to the page of the domain.",
    Form,
)
RECORDS = f"{DOMAIN}/records"
NEW_RECORD = page_route(
    f"{RECORDS}/new", "showNewDnsRecord", "The form that adds a DNS record.", "One form for each type.", NewRecordQuery
)
ADD_RECORD = form_route(
    RECORDS, "addOwnDnsRecord", "Add a DNS record.", "Redirects to the page of the domain.", RecordForm
)
RECORD = f"{RECORDS}/{{record_ref:int}}"
RECORD_PAGE = page_route(
    RECORD, "showOwnDnsRecord", "A DNS record.", "The form that changes it, and the buttons that delete it.", None
)
CHANGE_RECORD = form_route(
    RECORD,
    "changeOwnDnsRecord",
    "Change a DNS record.",
    "One of the service's becomes the account holder's own.",
    RecordForm,
)
DELETE_RECORD = form_route(
    f"{RECORD}/delete",
    "deleteOwnDnsRecord",
    "Delete a DNS record.",
    "Sent by the button of the confirmation.",
    Form,
)
RESTORE_RECORD = form_route(
    f"{RECORD}/restore",
    "restoreOwnDnsRecord",
    "Let the service manage a record again.",
    "For a record that the account holder has taken over by changing it.",
    Form,
)
_of = registered_domain_pages
PAGES = [
    authenticated_page(DOMAINS_PAGE, domain_pages.show_domains),
    authenticated_page(CONNECT, domain_pages.connect, domain_pages.show_domains_again),
    authenticated_page(DISCONNECT, domain_pages.disconnect, domain_pages.show_domains_after_problem),
    authenticated_page(
        CHECK, domain_pages.show_checked, domain_pages.show_domains_after_problem, domain_pages.prepare_check
    ),
    authenticated_page(DOMAIN_PAGE, _of.show_domain),
    authenticated_page(CHECK_DOMAIN, _of.show_checked, prepare=_of.prepare_check),
    authenticated_page(NEW_RECORD, _of.show_new_record),
    authenticated_page(ADD_RECORD, _of.add_record, _of.show_new_record_again),
    authenticated_page(RECORD_PAGE, _of.show_record),
    authenticated_page(CHANGE_RECORD, _of.change_record, _of.show_record_again),
    authenticated_page(DELETE_RECORD, _of.delete_record, _of.show_domain_after_problem),
    authenticated_page(RESTORE_RECORD, _of.restore_record, _of.show_domain_after_problem),
]
