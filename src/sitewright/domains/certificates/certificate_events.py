"""Events about certificates: obtained, failing, expiring."""

from datetime import datetime
from typing import Annotated, Any

import msgspec

from sitewright.domains.certificates.schemas import Source
from sitewright.events.kinds import INSTANT, EventBody, EventKind
from sitewright.kit.http.about import about

ISSUED, FAILING, EXPIRING = "certificate.issued", "certificate.failing", "certificate.expiring"


class CertifiedSite(msgspec.Struct, frozen=True):
    """The site whose domains it is for."""

    ref: Annotated[int | None, about("The site's number.", 5)]
    domains: Annotated[dict[str, str], about("The domains: names by domainRef.", {"1": "www.example.com"})]


class BrandRef(msgspec.Struct, frozen=True):
    """The brand."""

    ref: Annotated[int, about("The brand's number.", 1)]


class Reason(msgspec.Struct, frozen=True):
    """Why there is no certificate, or why it is not renewed."""

    code: Annotated[str, about("A stable name of the reason.", "notPointingHere")]
    detail: Annotated[str, about("What is wrong and what to do.", "Set the A record of the domain.")]


class CertificateFacts(msgspec.Struct, frozen=True, rename="camel"):
    """The certificate."""

    source: Annotated[Source, about("Where it is from.", "automatic")]
    not_after: Annotated[str | None, about("When it expires; null without one.", INSTANT)]
    reason: Annotated[Reason | None, about("What is in the way; null without a problem.", None)]


class CertificateBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """What happened to a certificate of a site."""

    site: Annotated[CertifiedSite, about("The site.", {"ref": 5, "domains": {"1": "www.example.com"}})]
    brand: Annotated[BrandRef, about("The brand.", {"ref": 1})]
    certificate: Annotated[
        CertificateFacts, about("The certificate.", {"source": "automatic", "notAfter": INSTANT, "reason": None})
    ]


KINDS = (
    EventKind(name=ISSUED, summary="A certificate was obtained or renewed.", body=CertificateBody),
    EventKind(name=FAILING, summary="A certificate cannot be obtained or renewed.", body=CertificateBody),
    EventKind(name=EXPIRING, summary="A certificate expires soon, and nothing renews it.", body=CertificateBody),
)


def event_body(
    brand_ref: int,
    site_ref: int | None,
    domains: dict[str, str],
    source: Source,
    not_after: datetime | None,
    reason: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """`domains`: names by domain ref, at the place where an erased site loses them. `reason`: code and detail."""
    return {
        "site": {"ref": site_ref, "domains": domains},
        "brand": {"ref": brand_ref},
        "certificate": {
            "source": source,
            "notAfter": None if not_after is None else f"{not_after:%Y-%m-%dT%H:%M:%SZ}",
            "reason": None if reason is None else dict(zip(("code", "detail"), reason, strict=True)),
        },
    }
