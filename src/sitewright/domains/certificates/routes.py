import re
from typing import Any

from sitewright.domains.certificates import names, service, uploading
from sitewright.domains.certificates.errors import CertificateNotFound, DomainNotMapped
from sitewright.domains.certificates.requests import HASH, NewCertificate, NewValidation
from sitewright.domains.certificates.schemas import Target
from sitewright.domains.certificates.uploading import Prepared
from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import BrandMismatch, Call, endpoint
from sitewright.kit.http.brand import BrandRequired
from sitewright.kit.http.call import plain_body
from sitewright.kit.http.endpoint import HttpsRequired
from sitewright.kit.problems import FieldErrors, Invalid
from sitewright.kit.versions import Since
from sitewright.tenants.brands.errors import BrandNotFound

CERTIFICATE = "/ssl-certs/{domain:str}"
ERRORS = (DomainNotMapped, HttpsRequired, BrandMismatch, BrandNotFound)
MAX_CONTENT = 64 * 1024
RSA_KEY_HEADER_SINCE = 95
"""The API release from which on a private key may begin with the RSA header."""


async def check_certificate(call: Call) -> None:
    """Before a database connection is taken."""
    prepared = call.prepared = Prepared()
    rsa_header = call.release.number >= RSA_KEY_HEADER_SINCE

    async def check_fields(read: dict[str, Any]) -> FieldErrors:
        sent = read.get("key"), read.get("cert"), read.get("intermediates") or [], read.get("domains") or []
        checked = await uploading.prepare(*sent, rsa_header=rsa_header)
        prepared.certificate, prepared.domains = checked.certificate, checked.domains
        return checked.errors

    try:
        await call.checked_body(NewCertificate, check_fields)
    except Invalid as invalid:
        prepared.errors = invalid.errors


@endpoint(
    "PUT",
    CERTIFICATE,
    roles=NOT_RESELLERS,
    status=204,
    needs_brand=False,
    https_only=True,
    prepare=check_certificate,
    body=NewCertificate,
    since=(Since(release=104, field="intermediates"),),
    errors=(*ERRORS, BrandRequired),
)
async def put_certificate(call: Call, domain: str) -> None:
    """Serve a certificate for a domain and the additional `domains`, replacing their former one."""
    target = await _find_target(call, domain)
    await uploading.put(call.tx, call.resources.sealer, call.caller, call.brand_ref, target, call.prepared)


@endpoint(
    "DELETE",
    CERTIFICATE,
    roles=NOT_RESELLERS,
    status=204,
    needs_brand=False,
    https_only=True,
    since=(Since(release=94),),
    errors=(*ERRORS, BrandRequired, CertificateNotFound),
)
async def delete_certificate(call: Call, domain: str) -> None:
    """Stop serving certificates for a domain; a certificate's other domains keep it."""
    target = await _find_target(call, domain, removing=True)
    await service.delete_certificate(call.tx, call.caller, target)


async def check_format(call: Call) -> None:
    """A body that is not JSON is reported before errors of the domain."""
    plain_body(call.request, json_only=True)


@endpoint(
    "POST",
    CERTIFICATE + "/domain-validation",
    roles=NOT_RESELLERS,
    status=204,
    needs_brand=False,
    https_only=True,
    prepare=check_format,
    body=NewValidation,
    errors=ERRORS,
)
async def validate_domain(call: Call, domain: str) -> None:
    """Prove to a certificate authority that you control a domain.

    `http://<domain>/.well-known/pki-validation/fileauth/<hash>` returns the content, until it is replaced or the
    domain is unmapped.
    """
    if domain.startswith(names.WILDCARD):
        raise DomainNotMapped.named(domain)
    target = await _find_target(call, domain)
    new = await call.checked_body(NewValidation, _check_validation)
    await service.put_validation(call.tx, call.caller, target, new)


endpoints = [put_certificate, delete_certificate, validate_domain]


async def _find_target(call: Call, domain: str, *, removing: bool = False) -> Target:
    target = await service.find_target(call.tx, call.brand_ref, domain, removing=removing)
    call.request.context.brand_ref = target.brand_ref
    return target


async def _check_validation(read: dict[str, Any]) -> FieldErrors:
    errors: FieldErrors = {}
    if "hash" in read and not re.fullmatch(HASH, read["hash"]):
        message = "must hold 1 to 128 letters, digits, dots, underscores and hyphens, and may not be `.` or `..`"
        errors["hash"] = {"invalidHash": message}
    if "content" in read and len(read["content"].encode()) > MAX_CONTENT:
        errors["content"] = {"invalidContent": "must hold at most 64 KiB"}
    return errors
