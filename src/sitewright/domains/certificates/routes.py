import asyncio
import re
from collections.abc import Collection
from typing import Any

import msgspec

from sitewright.domains.certificates import names, service
from sitewright.domains.certificates.checking import Checked, check
from sitewright.domains.certificates.errors import CertificateNotFound, DomainNotMapped
from sitewright.domains.certificates.requests import HASH, MOST_NAMES, NewCertificate, NewValidation
from sitewright.domains.certificates.schemas import Place
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
MOST_CONTENT = 64 * 1024
RSA_KEY_HEADER_SINCE = 95
"""The API release from which on a private key may begin with the RSA header."""


class Prepared(msgspec.Struct):
    """What became of a body before the domain was looked up, which is told first."""

    checked: Checked | None = None
    domains: dict[int, str] = {}
    """By their place in the list."""
    errors: FieldErrors = {}


async def check_certificate(call: Call) -> None:
    """In a thread, and before a connection is taken: checking keys takes its time."""
    prepared = call.prepared = Prepared()
    rsa_header = call.release.number >= RSA_KEY_HEADER_SINCE

    async def check_fields(read: dict[str, Any]) -> FieldErrors:
        sent = read.get("key"), read.get("cert"), read.get("intermediates") or []
        prepared.domains, errors = _read_domains(read.get("domains") or [])
        prepared.checked, faults = await asyncio.to_thread(check, *sent, clock.real_now(), rsa_header=rsa_header)
        return errors | faults

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
    """Serve a certificate for a domain and the additional `domains`, in place of what they had before."""
    prepared: Prepared = call.prepared
    place = await _place(call, domain)
    places = [place, *await _places(call, place, prepared.domains.values())]
    errors = prepared.errors | _uncovered(place, prepared)
    if errors or prepared.checked is None:
        raise Invalid.fields(errors)
    await service.put_certificate(call.tx, call.resources.sealer, call.caller, prepared.checked, places)


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
    """End the serving of certificates for a domain; a certificate's other domains keep it."""
    place = await _place(call, domain, removing=True)
    await service.delete_certificate(call.tx, call.caller, place)


async def check_format(call: Call) -> None:
    """A body that is not JSON is told before anything of the domain."""
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
    """Show a certificate authority that a domain is yours.

    `http://<domain>/.well-known/pki-validation/fileauth/<hash>` answers with the content, until it is replaced or the
    domain is unmapped.
    """
    if domain.startswith(names.WILDCARD):
        raise DomainNotMapped.named(domain)
    place = await _place(call, domain)
    new = await call.checked_body(NewValidation, _check_validation)
    await service.put_validation(call.tx, call.caller, place, new)


endpoints = [put_certificate, delete_certificate, validate_domain]


async def _place(call: Call, domain: str, *, removing: bool = False) -> Place:
    place = await service.find_place(call.tx, call.brand_ref, domain, removing=removing)
    call.request.context.brand_ref = place.brand_ref
    return place


def _read_domains(sent: list[str]) -> tuple[dict[int, str], FieldErrors]:
    if len(sent) > MOST_NAMES:
        words = f"may hold at most {MOST_NAMES} names. Put the certificate once more for the others"
        return {}, {"domains": {"invalidDomains": words}}
    read, errors = dict[int, str](), FieldErrors()
    for index, text in enumerate(sent):
        try:
            read[index] = names.read_name(text)
        except ValueError as error:
            errors[f"domains[{index}]"] = {"invalidDomains": str(error)}
    return read, errors


async def _places(call: Call, first: Place, domains: Collection[str]) -> list[Place]:
    """A wildcard goes with the path's domain; a system-owner may name hosts of any brand, unless it named one."""
    hosts = [name for name in domains if not name.startswith(names.WILDCARD)]
    wildcards = [Place(name, first.brand_ref, None) for name in domains if name.startswith(names.WILDCARD)]
    return [*await service.find_hosts(call.tx, call.brand_ref, hosts), *wildcards]


def _uncovered(place: Place, prepared: Prepared) -> FieldErrors:
    if prepared.checked is None:
        return {}
    covered = prepared.checked.names
    errors: FieldErrors = {}
    if not names.covers(covered, place.name):
        words = f"is not for {place.name}: {names.told(covered)}. Order one that names {place.name}"
        errors["cert"] = {"invalidCert": words}
    for index, name in prepared.domains.items():
        if not names.covers(covered, name):
            words = f"is not covered by the certificate: {names.told(covered)}. Leave {name} out, or order another one"
            errors[f"domains[{index}]"] = {"invalidDomains": words}
    return errors


async def _check_validation(read: dict[str, Any]) -> FieldErrors:
    errors: FieldErrors = {}
    if "hash" in read and not re.fullmatch(HASH, read["hash"]):
        words = "must hold 1 to 128 letters, digits, dots, underscores and hyphens, and may not be `.` or `..`"
        errors["hash"] = {"invalidHash": words}
    if "content" in read and len(read["content"].encode()) > MOST_CONTENT:
        errors["content"] = {"invalidContent": "must hold at most 64 KiB"}
    return errors
