"""`/console/certificates/:certificateRef`: one certificate, the sites that use it, and its removal from a name."""

from urllib.parse import urlencode

from sitewright.domains.certificates import service as certificates
from sitewright.domains.certificates.errors import CertificateNotFound
from sitewright.domains.certificates.listing import service
from sitewright.domains.certificates.listing.service import CertificateDetails
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.validation import parse, parse_query
from sitewright.sites.sites.operating import service as sites
from sitewright.web.console.certificates import automatic_pages, list_pages, upload_pages
from sitewright.web.console.certificates.list_pages import state_cell
from sitewright.web.console.certificates.schemas import CertificateNameForm, CertificateNameQuery
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import AUDIT, CERTIFICATES, SITES
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import render

CERTIFICATE = f"{CERTIFICATES}/{{certificate_ref:int}}"


async def show_certificate(request: ConsoleRequest, certificate_ref: int | None) -> Response:
    found, messages = await service.find_certificate(request.tx, certificate_ref or 0), request.messages
    site_refs = await sites.find_sites_of_hosts(request.tx, found.domains)
    path = f"{CERTIFICATES}/{found.ref}"
    return render(
        request,
        "certificate.html",
        certificate=found,
        badge=state_cell(found, messages),
        not_before=messages.time(found.not_before),
        not_after=messages.time(found.not_after),
        created=messages.time(found.created_at),
        served=[
            {
                "name": name,
                "site": f"{SITES}/{site_refs[name]}" if name in site_refs else None,
                "remove": f"{path}/remove?{urlencode({'name': name})}",
            }
            for name in found.domains
        ],
        audit_href=f"{AUDIT}?subject=certificate&ref={found.ref}",
        may_remove=request.may(Right.CHANGE),
    )


async def confirm_removal(request: ConsoleRequest, certificate_ref: int | None) -> Response:
    """Ask once, and say what stops working."""
    found = await service.find_certificate(request.tx, certificate_ref or 0)
    name = _name_of(found, parse(CertificateNameQuery, parse_query(request.http_request.query)).name)
    messages, path = request.messages, f"{CERTIFICATES}/{found.ref}"
    return render(
        request,
        "confirm.html",
        question=messages("certificate_remove_question", name=name),
        consequence=messages("certificate_remove_lost", name=name),
        button=messages("certificate_remove"),
        action=f"{path}/remove",
        hidden={"name": name},
        back=path,
        back_label=messages("certificate_title", ref=found.ref),
    )


async def remove(request: ConsoleRequest, certificate_ref: int | None) -> Response:
    found = await service.find_certificate(request.tx, certificate_ref or 0)
    name = _name_of(found, parse(CertificateNameForm, form_of(request.http_request)).name)
    target = await certificates.find_target(request.tx, request.brand_ref, name, removing=True)
    await certificates.delete_certificate(request.tx, request.caller, target)
    return redirect(f"{CERTIFICATES}?done=removed")


def _name_of(certificate: CertificateDetails, name: str) -> str:
    if name not in certificate.domains:
        raise CertificateNotFound
    return name


NO_CERTIFICATE = {404: "A page: the brand has no such certificate, or it is not served for this name."}
PAGES = [
    *list_pages.PAGES,
    *automatic_pages.PAGES,
    *upload_pages.PAGES,
    console_page(
        page_route(CERTIFICATE, "showCertificate", "One certificate and where it is used.", more=NO_CERTIFICATE),
        show_certificate,
    ),
    console_page(
        page_route(
            f"{CERTIFICATE}/remove",
            "confirmCertificateRemoval",
            "Ask whether to stop serving certificates for a name.",
            CertificateNameQuery,
            NO_CERTIFICATE | {403: "A page: the role does not allow it."},
        ),
        confirm_removal,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(
            f"{CERTIFICATE}/remove",
            "removeCertificate",
            "Stop serving certificates for a name.",
            CertificateNameForm,
            NO_CERTIFICATE,
        ),
        remove,
    ),
]
