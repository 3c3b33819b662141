"""`/console/certificates/new`: upload a certificate with its key."""

from sitewright.domains.certificates import service, uploading
from sitewright.domains.certificates.errors import DomainNotMapped, InvalidUpload
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.endpoint import HttpsRequired
from sitewright.kit.http.page import form_of, redirect
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Problem
from sitewright.kit.validation import parse
from sitewright.web.console.certificates.schemas import CertificateForm
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CERTIFICATES
from sitewright.web.console.frame.page_routes import form_route, page_route
from sitewright.web.console.frame.rendering import field_errors, render

NEW = f"{CERTIFICATES}/new"
KEPT = ("domain", "domains", "cert", "intermediates")
"""What is shown again after an error: everything but the key."""


async def show_form(request: ConsoleRequest) -> Response:
    return _page(request)


async def upload(request: ConsoleRequest) -> Response:
    """Checks key and chain without holding a connection. As with the API, a key is only accepted over https."""
    if not request.http_request.origin.is_secure:
        raise HttpsRequired
    form = parse(CertificateForm, form_of(request.http_request))
    names = form.domains.split()
    intermediates = [form.intermediates] if form.intermediates.strip() else []
    prepared = await uploading.prepare(form.key, form.cert, intermediates, names, rsa_header=True)
    resources, brand_ref = request.resources, request.brand_ref or 0
    async with resources.database.transaction(brand_ref) as tx:
        target = await service.find_target(tx, brand_ref, form.domain.strip())
        await uploading.put(tx, resources.sealer, request.caller, brand_ref, target, prepared)
    return redirect(f"{CERTIFICATES}?done=uploaded")


async def show_again(request: ConsoleRequest, problem: Problem) -> Response:
    return _page(request, problem)


def _page(request: ConsoleRequest, problem: Problem | None = None) -> Response:
    typed = {} if problem is None else form_of(request.http_request)
    errors = _errors(request, problem)
    return render(
        request,
        "certificate_upload.html",
        200 if problem is None else problem.status,
        is_secure=request.http_request.origin.is_secure,
        typed={name: typed.get(name, "") for name in KEPT},
        errors=errors,
        alert=errors.get(""),
    )


def _errors(request: ConsoleRequest, problem: Problem | None) -> dict[str, str]:
    """By field, in the operator's language."""
    if isinstance(problem, DomainNotMapped):
        return {"domain": request.messages("certificate_not_mapped", name=problem.domain)}
    if not isinstance(problem, InvalidUpload):
        return field_errors(request, problem)
    found: dict[str, str] = {}
    for name, reason in problem.reasons.items():
        text = request.messages(f"certificate_reason_{reason.code}", **reason.facts)
        found.setdefault(name.partition("[")[0], text)
    return found


PAGES = [
    console_page(
        page_route(
            NEW,
            "showCertificateUpload",
            "The form that uploads a certificate.",
            more={403: "A page: the role does not allow it."},
        ),
        show_form,
        right=Right.CHANGE,
    ),
    console_page(
        form_route(NEW, "uploadCertificate", "Serve a certificate for names of sites.", CertificateForm),
        upload,
        show_again,
        scope=Scope.NONE,
    ),
]
