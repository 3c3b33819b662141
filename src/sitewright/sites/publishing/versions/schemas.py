"""Wire schemas of published versions."""

from typing import Annotated, Literal

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.sites.content.changes.service import ChangeId, ChangeMade, Session

AuthorKind = Literal["accountHolder", "operator", "api", "system"]
EXAMPLE = {
    "versionRef": 7, "published": AT, "current": True, "editable": True, "pages": 4, "template": "coffee-house",
    "author": {"kind": "accountHolder", "name": "Ann Baker"},
}  # fmt: skip


class VersionAuthor(msgspec.Struct, frozen=True):
    """Who published a version."""

    kind: Annotated[
        AuthorKind,
        about(
            "`accountHolder`, or of the brand's staff: `operator`, `api` (a program with credentials of the brand or"
            " a reseller); `system`: a command of the service's operator.",
            "accountHolder",
        ),
    ]
    name: Annotated[
        str | None, about("The name of the account holder, or the operator's; null where there is none.", "Ann Baker")
    ]


class Version(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A published version of a site."""

    version_ref: Annotated[int, about("Its number; it rises with every publish of the site.", 7)]
    published: Annotated[TS, about("When it was published.", AT)]
    current: Annotated[bool, about("Whether it is what visitors see while the site is live.", True)]
    editable: Annotated[
        bool,
        about("Whether its content is stored; it is not of versions published before the service kept it.", True),
    ]
    pages: Annotated[int | None, about("How many pages it has; null where `editable` is false.", 4)]
    template: Annotated[str | None, about("The directory of its template; null for none.", "coffee-house")]
    author: Annotated[
        VersionAuthor | None,
        about("Who published it; null where it is not known.", {"kind": "accountHolder", "name": "Ann Baker"}),
    ]


class VersionPage(msgspec.Struct, frozen=True):
    """A page of a version."""

    ref: Annotated[int, about("The page's number.", 11)]
    request: Annotated[str, about("Its path.", "food/menu")]
    title: Annotated[str, about("Its title.", "Menu")]
    status: Annotated[str, about("Only active pages are published.", "active")]


class VersionDetails(Version, frozen=True, rename="camel", kw_only=True):
    """A published version of a site, with its pages."""

    content: Annotated[
        list[VersionPage] | None,
        about(
            "The pages of the site when it was published, those that were not published too; null where `editable` is"
            " false.",
            [{"ref": 11, "request": "food/menu", "title": "Menu", "status": "active"}],
        ),
    ]


class VersionList(msgspec.Struct, frozen=True):
    """The stored versions of a site."""

    versions: Annotated[list[Version], about("Newest first.", [EXAMPLE])]


class VersionResponse(msgspec.Struct, frozen=True):
    """One version."""

    version: Annotated[Version, about("The version.", EXAMPLE)]


class VersionDetailsResponse(msgspec.Struct, frozen=True):
    """One version, with its pages."""

    version: Annotated[VersionDetails, about("The version.", EXAMPLE)]


class EditVersionRequest(msgspec.Struct, frozen=True):
    """The step that `edit` makes, as changes have it; both may be omitted."""

    id: ChangeId | None = None
    session: Session = ""


class EditedVersionResponse(msgspec.Struct, frozen=True):
    """A version, and the change that made it the content of the site."""

    version: Annotated[Version, about("The version.", EXAMPLE)]
    change: Annotated[ChangeMade, about("The change, which can be undone.", {"number": 17, "kind": "editVersion"})]
