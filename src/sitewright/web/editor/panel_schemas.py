"""What the editor's panels of history, preview links and redirects exchange with the service."""

from typing import Annotated, Any

import msgspec

from sitewright.kit.http.about import about
from sitewright.sites.content.redirects.service import Redirect
from sitewright.sites.publishing.versions.service import AuthorKind

AT = "2026-01-31T12:00:00+00:00"
VERSION: dict[str, Any] = {
    "ref": 7, "published": AT, "current": True, "editable": True, "pages": 4,
    "author": {"kind": "accountHolder", "name": "Ann Baker"},
}  # fmt: skip


class EditorAuthor(msgspec.Struct, frozen=True):
    """Who published a version or created a link."""

    kind: Annotated[AuthorKind, about("`accountHolder`, `operator`, `api` or `system`.", "accountHolder")]
    name: Annotated[str | None, about("Their name; null where there is none.", "Ann Baker")]


class EditorVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A published version of the site."""

    ref: Annotated[int, about("Its number.", 7)]
    published: Annotated[str, about("When it was published, with the offset of the time zone.", AT)]
    current: Annotated[bool, about("Whether it is what visitors see.", True)]
    editable: Annotated[bool, about("Whether it can be viewed and edited: its content is stored.", True)]
    pages: Annotated[int | None, about("How many pages it has; null where it is not editable.", 4)]
    author: Annotated[EditorAuthor | None, about("Who published it; null where it is not known.", VERSION["author"])]


class EditorVersions(msgspec.Struct, frozen=True):
    """The history of the site."""

    versions: Annotated[list[EditorVersion], about("Newest first: the last 50, and what visitors see.", [VERSION])]


class EditorPreviewLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link that shows the current content to everybody who has it."""

    ref: Annotated[int, about("Its number.", 3)]
    created: Annotated[str, about("When it was created.", AT)]
    expires: Annotated[str, about("Until when it works.", AT)]
    url: Annotated[str | None, about("Its address, only when it has just been created.", None)] = None


class EditorPreviewLinks(msgspec.Struct, frozen=True):
    """The preview links of the site that still work."""

    links: Annotated[list[EditorPreviewLink], about("Oldest first.", [])]


class EditorPreviewLinkResponse(msgspec.Struct, frozen=True):
    """A new preview link."""

    link: Annotated[EditorPreviewLink, about("The link, with its address.", {"ref": 3, "created": AT, "expires": AT})]


class EditorRedirects(msgspec.Struct, frozen=True):
    """The redirects of the site."""

    redirects: Annotated[list[Redirect], about("Newest first.", [])]
