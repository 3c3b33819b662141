from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS


class PublishedSite(msgspec.Struct, frozen=True, rename="camel"):
    """The version that visitors see from now on."""

    version_ref: Annotated[int, about("The number of the snapshot; it rises with every publish of the site.", 7)]
    last_publish: Annotated[TS, about("When it was published.", AT)]


class PublishReason(msgspec.Struct, frozen=True):
    """Something to know before publishing."""

    code: Annotated[
        str,
        about(
            "The kind. Errors: `siteDisabled`, `packageLimitReached`, `siteTooLarge`, `templateFailed`. Warnings:"
            " `noPages`, `noContent`, `unknownWidgetType`, `invalidWidgetValue`, `templateNotInstalled`.",
            "unknownWidgetType",
        ),
    ]
    detail: Annotated[str, about("An explanation.", "Widgets of the type partner.chat are not shown (pages: home).")]


class Publishable(msgspec.Struct, frozen=True):
    """Whether a site can be published."""

    publishable: Annotated[bool, about("Whether there are no errors; warnings are allowed.", True)]
    reasons: Annotated[
        list[PublishReason],
        about("Every error, then warnings.", [{"code": "unknownWidgetType", "detail": "..."}]),
    ]
