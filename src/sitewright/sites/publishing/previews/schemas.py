"""Wire schemas of preview links."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.sites.publishing.versions.schemas import VersionAuthor

DEFAULT_DAYS, MAX_DAYS = 7, 90
EXAMPLE = {
    "ref": 3, "created": AT, "expires": AT, "author": {"kind": "accountHolder", "name": "Ann Baker"},
}  # fmt: skip
URL = "https://service.example.com/preview/1-q1B0K8dZ5Jm0xYx0sOQ0bJ"


class PreviewLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link that shows the current content of a site to everybody who has it."""

    ref: Annotated[int, about("The link's number.", 3)]
    created: Annotated[TS, about("When it was created.", AT)]
    expires: Annotated[TS, about("Until when it works.", AT)]
    author: Annotated[VersionAuthor, about("Who created it.", {"kind": "accountHolder", "name": "Ann Baker"})]


class CreatedPreviewLink(PreviewLink, frozen=True, kw_only=True):
    """A new preview link, with its address."""

    url: Annotated[str, about("The address. It is shown only once: the service stores a digest of it.", URL)]


class PreviewLinkList(msgspec.Struct, frozen=True, rename="camel"):
    """The preview links of a site that still work."""

    preview_links: Annotated[list[PreviewLink], about("Oldest first.", [EXAMPLE])]


class PreviewLinkResponse(msgspec.Struct, frozen=True, rename="camel"):
    """One new preview link."""

    preview_link: Annotated[CreatedPreviewLink, about("The link.", EXAMPLE | {"url": URL})]


class NewPreviewLink(msgspec.Struct, frozen=True):
    """How long the link shall work."""

    days: Annotated[int, about("For how many days it works: 1 to 90.", DEFAULT_DAYS, ge=1, le=MAX_DAYS)] = DEFAULT_DAYS
