"""`/account/package`: the package, the charges to come, add-ons, domains and mailboxes, and how to change them."""

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.users import service as users
from sitewright.domains.account_domains import service as account_domains
from sitewright.domains.mailboxes import service as mailboxes
from sitewright.kit.http.responses import Response
from sitewright.kit.paging import MAX_LIMIT, Window
from sitewright.web.account import service, store, views
from sitewright.web.account.navigation import Section
from sitewright.web.account.package_view import allowances, charge_lines, domain_lines, use_of
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.rendering import render
from sitewright.web.account.reseller_links import package_links
from sitewright.web.account.support import contact_of


async def show_package(request: PageRequest) -> Response:
    tx, user_ref, zone = request.tx, request.holder.user_ref, request.brand.time_zone
    package = await store.find_package(tx, user_ref)
    domains = await account_domains.list_account_domains(tx, user_ref)
    with_mailboxes, _ = await mailboxes.list_of_user(tx, user_ref, Window(limit=MAX_LIMIT))
    charges = await account_packages.next_charges(tx, user_ref)
    use = use_of(
        await service.list_own_sites(request),
        domains,
        await mailboxes.count_of_user(tx, user_ref),
        await users.storage_bytes_of(tx, user_ref),
    )
    add_ons = await store.list_add_ons(tx, user_ref)
    return render(
        request,
        "package.html",
        section=Section.PACKAGE,
        package=views.summary_of(request, package),
        links=package_links(request, package),
        contact=contact_of(request.brand),
        charges=charge_lines(charges, domains, request.messages, zone),
        add_ons=[views.summary_of(request, each) for each in add_ons],
        domains=domain_lines(
            [(domain, [mailbox.name for mailbox in rows]) for domain, rows in with_mailboxes], request.messages, zone
        ),
        allowances=allowances(await account_packages.capabilities_of(tx, user_ref), use, request.messages),
    )
