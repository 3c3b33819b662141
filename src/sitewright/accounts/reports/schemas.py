"""Schemas of user reports."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref

LINK = (
    "https://service.example.com/user-reports/1-6f1c0d2b9a8e4f57b3a1c2d4e5f60718/download"
    "?expires=1769864400&signature=4a5c0f7e"
)


class NewUserReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Which users a report is about; all given filters must match."""

    date_from: (
        Annotated[str, about("Created then or later: `YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS` or ISO 8601.", "2026-01-01")]
        | None
    ) = None
    date_to: (
        Annotated[str, about("Created then or earlier; a date alone means all of that day.", "2026-01-31")] | None
    ) = None
    reseller_ref: Annotated[Ref, about("Only users of this reseller.", 7)] | None = None
    show_deleted: Annotated[bool, about("1: deleted ones too.", False)] = False


class UserReportJob(msgspec.Struct, frozen=True):
    """A pending report."""

    job: Annotated[str, about("The id to poll with.", "1-6f1c0d2b9a8e4f57b3a1c2d4e5f60718")]


class UserReport(msgspec.Struct, frozen=True):
    """A finished report."""

    expires: Annotated[str, about("When job and file are deleted.", "2026-01-31 13:00:00 UTC")]
    report: Annotated[str, about("Where to download the zip archive, without credentials.", LINK)]


class DownloadQuery(msgspec.Struct, frozen=True):
    """The parameters of a download link, unchanged."""

    expires: Annotated[str, about("When the link expires, in seconds since 1970.", "1769864400")]
    signature: Annotated[str, about("The signature of the service.", "4a5c0f7e")]
