from typing import Annotated, Literal, TypeAlias

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS

Overall: TypeAlias = Literal["ok", "attention", "failing", "unknown"]
CHECK = {
    "code": "leadsHereIpv6",
    "status": "failing",
    "expected": "2001:db8::7",
    "found": "2001:db8:ffff::1",
    "detail": "Over IPv6, www.example.com leads to 2001:db8:ffff::1, which is not this service.",
    "fix": "Replace the AAAA records by:\nwww.example.com. 3600 IN AAAA 2001:db8::7",
}


class HealthCheck(msgspec.Struct, frozen=True):
    """The result of one check."""

    code: Annotated[str, about("Which check it is.", "leadsHereIpv6")]
    status: Annotated[
        Literal["ok", "attention", "failing", "unknown", "skipped"],
        about("`unknown`: its source could not be queried. `skipped`: it does not apply.", "failing"),
    ]
    expected: Annotated[str | None, about("What should be there, where one can say.", "2001:db8::7")]
    found: Annotated[str | None, about("What is there.", "2001:db8:ffff::1")]
    detail: Annotated[str, about("The result in words.", CHECK["detail"])]
    fix: Annotated[str | None, about("What to do, with the exact record to copy; null if nothing.", CHECK["fix"])]


class DomainHealth(msgspec.Struct, frozen=True, rename="camel"):
    """The last health check of a domain."""

    domain: Annotated[str, about("The host name or domain that was checked.", "www.example.com")]
    status: Annotated[
        Overall,
        about("The worst of the checks: `failing`, `attention`, `unknown`, `ok`.", "failing"),
    ]
    checked_at: Annotated[TS | None, about("When; null while the first check runs.", AT)]
    checks: Annotated[list[HealthCheck], about("All checks, always in the same order.", [CHECK])]


class DomainHealthResponse(msgspec.Struct, frozen=True):
    """The health of a domain."""

    health: Annotated[DomainHealth, about("The result.", {"domain": "www.example.com"})]


class HealthQuery(msgspec.Struct, frozen=True):
    """Which result, in which language."""

    refresh: Annotated[bool, about("1 runs the checks again, unless they ran in the last 10 seconds.", True)] = False
    language: (
        Annotated[
            str,
            about(
                "The language of `detail` and `fix`: en, de, es, fr or pt. Without it, that of Accept-Language.",
                "de",
                min_length=2,
                max_length=35,
            ),
        ]
        | None
    ) = None
