from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS


class PublishedSite(msgspec.Struct, frozen=True, rename="camel"):
    """What visitors see from now on."""

    version_ref: Annotated[int, about("The number of the snapshot; it rises with every publish of the site.", 7)]
    last_publish: Annotated[TS, about("When it was published.", AT)]


class PublishReason(msgspec.Struct, frozen=True):
    """Something to know before publishing."""

    code: Annotated[
        str,
        about(
            "What it is. In the way: `siteDisabled`, `packageLimitReached`, `siteTooLarge`, `templateFailed`. Only"
            " warnings: `unknownWidgetType`, `invalidWidgetValue`, `templateNotInstalled`.",
            "unknownWidgetType",
        ),
    ]
    detail: Annotated[str, about("The same in words.", "Widgets of the type partner.chat are not shown (pages: home).")]


class Publishable(msgspec.Struct, frozen=True):
    """Whether a site can be published."""

    publishable: Annotated[bool, about("Whether nothing stands in the way; warnings do not.", True)]
    reasons: Annotated[
        list[PublishReason],
        about("Every rule that stands in the way, then warnings.", [{"code": "unknownWidgetType", "detail": "..."}]),
    ]
