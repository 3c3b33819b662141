"""Every page of the service itself, for screenshots and for the tests of accessibility and layout."""

import httpx
import msgspec
from playwright.async_api import Page

from sitewright.kit import clock
from tests.support.cast import OWN_BRAND
from tests.support.chromium import SERVICE_HOST
from tests.support.customers import Customer, done, make_customer
from tests.support.sample_pages import PREFIX, sample_pages
from tests.support.service import Service, owner_of
from tests.support.users import insert

SERVICE = f"http://{SERVICE_HOST}"


class OwnPage(msgspec.Struct, frozen=True):
    """A page: its address, the status that it responds with, and whether it needs a log-in."""

    name: str
    address: str
    status: int = 200
    needs_login: bool = False

    @property
    def is_of_service(self) -> bool:
        """Others are on customers' hosts."""
        return self.address.startswith(SERVICE)


OFFLINE_STATES = ("unpublished", "offline", "disabled", "suspended")


async def make_holder(client: httpx.AsyncClient, host: str) -> Customer:
    """An account holder with a published site and business details; others have a site in each offline state."""
    for state in OFFLINE_STATES:
        await _make_offline(client, state, f"{state}.{host}")
    customer = await make_customer(client, 1, host)
    details = {"business": "Penny & Pear", "headline": "Good things for small homes", "email": "hello@pear.example"}
    await customer.update_profile(**details)
    await customer.add_page("home", "Home")
    await customer.publish()
    return customer


async def _make_offline(client: httpx.AsyncClient, state: str, host: str) -> None:
    customer = await make_customer(client, 1, host)
    if state != "unpublished":
        await customer.publish()
    if state in ("offline", "disabled"):
        changes = {"live": 0} if state == "offline" else {"enabled": 0}
        await done(client.put(customer.path, json=changes))
    if state == "suspended":
        response = await client.post(f"/users/{customer.user_ref}/suspend", json={})
        assert response.status_code == 204, response.text


async def add_message(service: Service, site_ref: int, name: str = "Bo Visitor") -> int:
    """A message of a visitor, as the contact form stores it; returns its ref."""
    row = {
        "brand_ref": OWN_BRAND,
        "site_ref": site_ref,
        "page": "",
        "name": name,
        "email": "bo@visitor.example",
        "message": "Hello,\nwhen are you open on Sundays?",
        "visitor": b"x",
        "at": clock.now(),
    }
    async with owner_of(service) as connection:
        return await insert(connection, "contact_messages", row)


async def offer_deletion(service: Service) -> None:
    async with owner_of(service) as connection:
        await connection.execute("update brands set self_service_deletion = 'request' where brand_ref = $1", OWN_BRAND)


def own_pages(customer: Customer, message_ref: int) -> list[OwnPage]:
    """`message_ref`: a message to the customer, from `add_message`; the brand offers the deletion of accounts."""
    host = customer.host
    return [
        OwnPage("start", f"{SERVICE}/"),
        OwnPage("login", f"{SERVICE}/login?brandRef=1"),
        OwnPage("login-unbranded", f"{SERVICE}/login"),
        OwnPage("login-link-expired", f"{SERVICE}/login?hash=1-unknown", 400),
        OwnPage("forgotten-password", f"{SERVICE}/forgotten-password?brandRef=1"),
        OwnPage("forgotten-password-sent", f"{SERVICE}/forgotten-password?sent=1"),
        OwnPage("reset-password-expired", f"{SERVICE}/reset-password?h=1-unknown", 400),
        OwnPage("preview-expired", f"{SERVICE}/preview/1-unknown", 404),
        OwnPage("verify-email", f"{SERVICE}/verify-email?token=1-x&profileRef=1"),
        OwnPage("not-found", f"{SERVICE}/no/such/page", 404),
        OwnPage("not-logged-in", f"{SERVICE}/users/1", 401),
        OwnPage("guide", f"{SERVICE}/help/editor?brandRef=1"),
        OwnPage("guide-german", f"{SERVICE}/help/editor?language=de"),
        *_account_pages(customer.site["ref"], message_ref),
        *console_pages(),
        *_customer_pages(customer.user_ref),
        *_reference_pages(),
        *(OwnPage(name, f"{PREFIX}{name}", page.status) for name, page in sample_pages().items()),
        OwnPage("holding", "http://nobody.example/", 404),
        *(OwnPage(state, f"http://{state}.{host}/", 503) for state in OFFLINE_STATES),
        OwnPage("site-not-allowed", f"http://{host}/_site/contact", 405),
        OwnPage("site-not-found", f"http://{host}/no-such-page", 404),
    ]


def _account_pages(ref: int, message_ref: int) -> list[OwnPage]:
    picker = f"{SERVICE}/template-picker/?siteRef={ref}"
    return [
        OwnPage("profile", f"{SERVICE}/account/profile?done=details", needs_login=True),
        OwnPage("messages", f"{SERVICE}/account/messages", needs_login=True),
        OwnPage("message", f"{SERVICE}/account/messages/{message_ref}?done=sent", needs_login=True),
        OwnPage("delete-account", f"{SERVICE}/account/profile/deletion", needs_login=True),
        OwnPage("account", f"{SERVICE}/account", needs_login=True),
        OwnPage("package", f"{SERVICE}/account/package", needs_login=True),
        OwnPage("domains", f"{SERVICE}/account/domains?done=connected", needs_login=True),
        OwnPage("new-site", f"{SERVICE}/account/sites/new", needs_login=True),
        OwnPage("first-page", f"{SERVICE}/account/sites/{ref}/first-page", needs_login=True),
        OwnPage("site", f"{SERVICE}/account/sites/{ref}?done=published", needs_login=True),
        OwnPage("editor", f"{SERVICE}/account/sites/{ref}/edit", needs_login=True),
        OwnPage("visits", f"{SERVICE}/account/sites/{ref}/visits?days=7", needs_login=True),
        OwnPage("picker", picker, needs_login=True),
        OwnPage("picker-preview", f"{picker}&preview=1", needs_login=True),
        OwnPage("account-not-found", f"{SERVICE}/account/sites/999999", 404, needs_login=True),
    ]


def console_pages() -> list[OwnPage]:
    """Those that need a log-in need that of `log_in_to_console`."""
    console = f"{SERVICE}/console"
    return [
        OwnPage("console-log-in", f"{console}/log-in"),
        OwnPage("console-invitation-expired", f"{console}/invitation?h=1-unknown", 404),
        OwnPage("console", console, needs_login=True),
        OwnPage("console-overview", f"{console}/overview", needs_login=True),
        OwnPage("console-overview-wrong-period", f"{console}/overview?from=yesterday", 400, needs_login=True),
        OwnPage("console-me", f"{console}/me?done=language", needs_login=True),
        OwnPage("console-second-factor", f"{console}/me/second-factor", needs_login=True),
        OwnPage("console-certificates", f"{console}/certificates", needs_login=True),
        OwnPage("console-automatic-certificates", f"{console}/certificates/automatic", needs_login=True),
        OwnPage("console-certificate-upload", f"{console}/certificates/new", needs_login=True),
        OwnPage("console-sites", f"{console}/sites", needs_login=True),
        OwnPage("console-domains", f"{console}/domains", needs_login=True),
        OwnPage("console-resellers", f"{console}/resellers", needs_login=True),
        OwnPage("console-reseller-new", f"{console}/resellers/new", needs_login=True),
        OwnPage("console-charges", f"{console}/charges", needs_login=True),
        OwnPage("console-reports", f"{console}/reports", needs_login=True),
        OwnPage("console-report-new", f"{console}/reports/new", needs_login=True),
        OwnPage("console-staff", f"{console}/staff?done=invited", needs_login=True),
        OwnPage("console-credentials", f"{console}/credentials", needs_login=True),
        OwnPage("console-new-credential", f"{console}/credentials/new", needs_login=True),
        OwnPage("console-settings", f"{console}/settings?done=saved", needs_login=True),
        OwnPage("console-catalogue", f"{console}/catalogue", needs_login=True),
        OwnPage("console-package", f"{console}/catalogue/packages/2", needs_login=True),
        OwnPage("console-templates", f"{console}/catalogue/templates", needs_login=True),
        OwnPage("console-system-refused", f"{console}/system", 403, needs_login=True),
        OwnPage("console-audit", f"{console}/audit", needs_login=True),
        OwnPage("console-events", f"{console}/events", needs_login=True),
        OwnPage("console-webhooks", f"{console}/webhooks", needs_login=True),
        OwnPage("console-webhook-new", f"{console}/webhooks/new", needs_login=True),
        OwnPage("console-webhook-attempts", f"{console}/webhooks/attempts", needs_login=True),
        OwnPage("console-mail", f"{console}/mail?done=retried", needs_login=True),
        OwnPage("console-mail-preview", f"{console}/mail/preview", needs_login=True),
    ]


def _customer_pages(user_ref: int) -> list[OwnPage]:
    customers = f"{SERVICE}/console/customers"
    paths = ("edit", "suspend", "delete", "anonymise", "package")
    return [
        OwnPage("console-customers", customers, needs_login=True),
        OwnPage("console-customers-found", f"{customers}?search={user_ref}", needs_login=True),
        OwnPage("console-customer", f"{customers}/{user_ref}?done=saved", needs_login=True),
        *(OwnPage(f"console-customer-{path}", f"{customers}/{user_ref}/{path}", needs_login=True) for path in paths),
        OwnPage("console-customer-quote", f"{customers}/{user_ref}/package/confirm?packageRef=3", needs_login=True),
    ]


async def log_in_to_console(page: Page, service: Service) -> None:
    """As the brand-admin of the first brand, who has begun to set up one-time codes: a page shows a QR code."""
    log_in = service.demo["brands"][0]["basic"]
    username, password = log_in["username"], log_in["password"]
    await page.goto(f"{SERVICE}/console/log-in")
    await page.get_by_label("User name").fill(username)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Log in").click()
    await page.get_by_role("heading", name="Overview").wait_for()
    await page.goto(f"{SERVICE}/console/me/second-factor")
    begin = page.get_by_role("button", name="Begin")
    if await begin.count():
        await begin.click()
    await page.get_by_role("img", name="QR code").wait_for()


def _reference_pages() -> list[OwnPage]:
    return [
        OwnPage("reference", f"{SERVICE}/docs"),
        OwnPage("reference-getting-started", f"{SERVICE}/docs/getting-started"),
        OwnPage("reference-signing", f"{SERVICE}/docs/signing"),
        OwnPage("reference-requests", f"{SERVICE}/docs/requests"),
        OwnPage("reference-errors", f"{SERVICE}/docs/errors"),
        OwnPage("reference-paging", f"{SERVICE}/docs/paging"),
        OwnPage("reference-idempotency", f"{SERVICE}/docs/idempotency"),
        OwnPage("reference-events", f"{SERVICE}/docs/events"),
        OwnPage("reference-event", f"{SERVICE}/docs/events/site.publish"),
        OwnPage("reference-webhooks", f"{SERVICE}/docs/webhooks"),
        OwnPage("reference-clients", f"{SERVICE}/docs/clients"),
        OwnPage("reference-packages", f"{SERVICE}/docs/packages"),
        OwnPage("reference-feature", f"{SERVICE}/docs/api/service"),
        OwnPage("reference-operation", f"{SERVICE}/docs/api/users/createUser"),
        OwnPage("reference-largest", f"{SERVICE}/docs/api/account-domains/listAccountDomains"),
        OwnPage("reference-search", f"{SERVICE}/docs/search?q=site"),
        OwnPage("reference-nothing-found", f"{SERVICE}/docs/search?q=nonsense"),
        OwnPage("problems", f"{SERVICE}/problems"),
        OwnPage("problem", f"{SERVICE}/problems/userNotFound"),
    ]


async def log_in(page: Page, customer: Customer) -> None:
    body = {"siteRef": customer.site["ref"]}
    response = await done(customer.client.post(f"/users/{customer.user_ref}/auto-login", json=body))
    await page.goto(f"{SERVICE}/login?hash={response['hash']}&r=/account")
