"""Putting a certificate for names of a brand: what was sent is checked first, then bound to its names."""

import asyncio
from collections.abc import Collection, Sequence

import msgspec

from sitewright.domains.certificates import names, service
from sitewright.domains.certificates.errors import InvalidUpload
from sitewright.domains.certificates.reasons import Reason
from sitewright.domains.certificates.requests import MAX_NAMES
from sitewright.domains.certificates.schemas import Target
from sitewright.domains.certificates.validation import ValidCertificate, validate
from sitewright.kit import clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.kit.sealing import Sealer


class Prepared(msgspec.Struct):
    """The result of validating what was sent, which is reported after errors of the domain."""

    certificate: ValidCertificate | None = None
    domains: dict[int, str] = {}
    """By their index in the list."""
    errors: FieldErrors = {}


async def prepare(
    key: str | None, cert: str | None, intermediates: Sequence[str], domains: Sequence[str], *, rsa_header: bool
) -> Prepared:
    """In a thread, because checking keys is slow: call it without holding a connection.

    A field that is None has been rejected before. `domains`: more names to serve the certificate for.
    """
    read, errors = _read_domains(domains)
    certificate, certificate_errors = await asyncio.to_thread(
        validate, key, cert, intermediates, clock.real_now(), rsa_header=rsa_header
    )
    return Prepared(certificate, read, errors | certificate_errors)


async def put(
    tx: Transaction, sealer: Sealer, caller: Caller, brand_ref: int | None, target: Target, prepared: Prepared
) -> None:
    """Serve it for the target and the other names. `brand_ref` is None for a system-owner who named no brand."""
    targets = [target, *await _find_additional_targets(tx, brand_ref, target, prepared.domains.values())]
    errors = prepared.errors | _uncovered(target, prepared)
    if errors or prepared.certificate is None:
        raise InvalidUpload.of(errors)
    await service.put_certificate(tx, sealer, caller, prepared.certificate, targets)


def _read_domains(sent: Sequence[str]) -> tuple[dict[int, str], FieldErrors]:
    if len(sent) > MAX_NAMES:
        text = f"may hold at most {MAX_NAMES} names. Put the certificate once more for the others"
        return {}, {"domains": {"invalidDomains": Reason(text, "tooManyNames", most=MAX_NAMES)}}
    read, errors = dict[int, str](), FieldErrors()
    for index, text in enumerate(sent):
        try:
            read[index] = names.read_name(text)
        except ValueError as error:
            errors[f"domains[{index}]"] = {"invalidDomains": Reason(str(error), "noName", name=text[:255])}
    return read, errors


async def _find_additional_targets(
    tx: Transaction, brand_ref: int | None, first: Target, domains: Collection[str]
) -> list[Target]:
    """A wildcard belongs to the brand of the path's domain; a system-owner who names no brand may name hosts of any."""
    hosts = [name for name in domains if not name.startswith(names.WILDCARD)]
    wildcards = [Target(name, first.brand_ref, None) for name in domains if name.startswith(names.WILDCARD)]
    return [*await service.find_hosts(tx, brand_ref, hosts), *wildcards]


def _uncovered(target: Target, prepared: Prepared) -> FieldErrors:
    if prepared.certificate is None:
        return {}
    covered = prepared.certificate.names
    errors: FieldErrors = {}
    if not names.covers(covered, target.name):
        text = f"is not for {target.name}: {names.describe(covered)}. Order one that names {target.name}"
        errors["cert"] = {"invalidCert": Reason(text, "notFor", name=target.name, names=names.listed(covered))}
    for index, name in prepared.domains.items():
        if not names.covers(covered, name):
            text = (
                f"is not covered by the certificate: {names.describe(covered)}. Leave {name} out, or order another one"
            )
            reason = Reason(text, "notCovered", name=name, names=names.listed(covered))
            errors[f"domains[{index}]"] = {"invalidDomains": reason}
    return errors
