"""Wire schemas of redirects."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.kit.validation import Ref

From = Annotated[
    str,
    about(
        "The former path: segments of letters, digits and -_.~, 255 at most, whatever the case. A leading slash is"
        " removed.",
        "old-menu",
    ),
]
PageRef = Annotated[Ref, about("The page of this site that it leads to, wherever that page moves.", 11)]
Url = Annotated[
    str,
    about(
        "The page of another website that it leads to: an http or https URL. The package must allow it"
        " (`allowExternalRedirects`).",
        "https://shop.example.com/",
    ),
]
EXAMPLE = {"ref": 5, "from": "old-menu", "pageRef": 11, "url": None, "to": "/food/menu"}


class Redirect(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A redirect (301) from a former address. It also applies to the paths below it."""

    ref: Annotated[int, about("The redirect's number.", 5)]
    from_path: Annotated[str, about("The former path, in lower case and without a leading slash.", "old-menu")] = (
        msgspec.field(name="from")
    )
    page_ref: Annotated[int | None, about("The page that it leads to; null where it leads to `url`.", 11)]
    url: Annotated[str | None, about("The address on another website; null where it leads to a page.", None)]
    to: Annotated[
        str | None,
        about("Where it leads now: the page's path, or `url`; null while the page is deleted.", "/food/menu"),
    ]
    automatic: Annotated[
        bool, about("Whether it was made because the address of a page changed; else somebody added it.", True)
    ]
    created: Annotated[TS, about("When it was made.", AT)]


class RedirectResponse(msgspec.Struct, frozen=True):
    """One redirect."""

    redirect: Annotated[Redirect, about("The redirect.", EXAMPLE)]


class RedirectList(msgspec.Struct, frozen=True):
    """The redirects of a site."""

    redirects: Annotated[list[Redirect], about("Oldest first.", [EXAMPLE])]


class NewRedirect(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A redirect to add: `from`, and either `pageRef` or `url`."""

    from_path: From = msgspec.field(name="from")
    page_ref: PageRef | None = None
    url: Url | None = None
