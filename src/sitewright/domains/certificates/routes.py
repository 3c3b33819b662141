import asyncio
import re
from collections.abc import Collection
from typing import Any

import msgspec

from sitewright.domains.certificates import names, service
from sitewright.domains.certificates.errors import CertificateNotFound, DomainNotMapped
from sitewright.domains.certificates.requests import HASH, MAX_NAMES, NewCertificate, NewValidation
from sitewright.domains.certificates.schemas import Target
from sitewright.domains.certificates.validation import ValidCertificate, validate
from sitewright.kit import clock
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


class Prepared(msgspec.Struct):
    """The result of validating the body, which is reported after errors of the domain."""

    certificate: ValidCertificate | None = None
    domains: dict[int, str] = {}
    """By their index in the list."""
    errors: FieldErrors = {}


async def check_certificate(call: Call) -> None:
    """In a thread, and before a database connection is taken, because checking keys is slow."""
    prepared = call.prepared = Prepared()
    rsa_header = call.release.number >= RSA_KEY_HEADER_SINCE

    async def check_fields(read: dict[str, Any]) -> FieldErrors:
        sent = read.get("key"), read.get("cert"), read.get("intermediates") or []
        prepared.domains, errors = _read_domains(read.get("domains") or [])
        prepared.certificate, certificate_errors = await asyncio.to_thread(
            validate, *sent, clock.real_now(), rsa_header=rsa_header
        )
        return errors | certificate_errors

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
    prepared: Prepared = call.prepared
    target = await _find_target(call, domain)
    targets = [target, *await _find_additional_targets(call, target, prepared.domains.values())]
    errors = prepared.errors | _uncovered(target, prepared)
    if errors or prepared.certificate is None:
        raise Invalid.fields(errors)
    await service.put_certificate(call.tx, call.resources.sealer, call.caller, prepared.certificate, targets)


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


def _read_domains(sent: list[str]) -> tuple[dict[int, str], FieldErrors]:
    if len(sent) > MAX_NAMES:
        message = f"may hold at most {MAX_NAMES} names. Put the certificate once more for the others"
        return {}, {"domains": {"invalidDomains": message}}
    read, errors = dict[int, str](), FieldErrors()
    for index, text in enumerate(sent):
        try:
            read[index] = names.read_name(text)
        except ValueError as error:
            errors[f"domains[{index}]"] = {"invalidDomains": str(error)}
    return read, errors


async def _find_additional_targets(call: Call, first: Target, domains: Collection[str]) -> list[Target]:
    """A wildcard belongs to the brand of the path's domain; a system-owner who names no brand may name hosts of any."""
    hosts = [name for name in domains if not name.startswith(names.WILDCARD)]
    wildcards = [Target(name, first.brand_ref, None) for name in domains if name.startswith(names.WILDCARD)]
    return [*await service.find_hosts(call.tx, call.brand_ref, hosts), *wildcards]


def _uncovered(target: Target, prepared: Prepared) -> FieldErrors:
    if prepared.certificate is None:
        return {}
    covered = prepared.certificate.names
    errors: FieldErrors = {}
    if not names.covers(covered, target.name):
        message = f"is not for {target.name}: {names.describe(covered)}. Order one that names {target.name}"
        errors["cert"] = {"invalidCert": message}
    for index, name in prepared.domains.items():
        if not names.covers(covered, name):
            message = (
                f"is not covered by the certificate: {names.describe(covered)}. Leave {name} out, or order another one"
            )
            errors[f"domains[{index}]"] = {"invalidDomains": message}
    return errors


async def _check_validation(read: dict[str, Any]) -> FieldErrors:
    errors: FieldErrors = {}
    if "hash" in read and not re.fullmatch(HASH, read["hash"]):
        message = "must hold 1 to 128 letters, digits, dots, underscores and hyphens, and may not be `.` or `..`"
        errors["hash"] = {"invalidHash": message}
    if "content" in read and len(read["content"].encode()) > MAX_CONTENT:
        errors["content"] = {"invalidContent": "must hold at most 64 KiB"}
    return errors
