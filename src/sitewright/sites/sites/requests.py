"""Request schemas of sites."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.paging import MAX_LIMIT, Cursor, Limit, Offset
from sitewright.kit.validation import Ref

MAX_DOMAIN = 255

BrandRef = Annotated[Ref, about("Your brand.", 1)]
Domain = Annotated[
    str,
    about(
        "A host name without protocol, port or path; its DNS must point to this environment.",
        "www.example.com",
        max_length=MAX_DOMAIN,
    ),
]
TemplateRef = Annotated[Ref, about("A template that the account holder may have: one for all, or its own.", 1)]
ActivationStatus = Annotated[
    Literal["active", "inactive"],
    about("Editors redirect publishing of an inactive site to the brand's activationURL.", "active"),
]
Deleted = Annotated[bool, about("1: deleted ones too.", False)]


class NewSite(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A site to create; it needs `domain`, `subdomain` or `createDemoDomain`."""

    account_holder_ref: Annotated[Ref, about("Whose site it is.", 41)]
    brand_ref: BrandRef
    domain: Domain | None = None
    subdomain: (
        Annotated[str, about("Put before the brand's own domain.", "joes-bakery", max_length=MAX_DOMAIN)] | None
    ) = None
    create_demo_domain: Annotated[
        bool,
        about(
            "1, without `domain` and `subdomain`: the site gets a free name below the brand's domain, made from the"
            " user name. With one of them it changes nothing.",
            True,
        ),
    ] = False
    template_ref: TemplateRef | None = None
    activation_status: ActivationStatus | None = None
    site_type: Annotated[Literal["desktop", "responsive"], about("What pages are made for.", "responsive")] | None = (
        None
    )


class SiteChanges(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The fields to change; omitted fields keep their values."""

    primary_url_ref: Annotated[Ref, about("The domain, of this site, to make primary.", 1)] | UnsetType = UNSET
    live: (
        Annotated[bool, about("1: visitors see the site, which was published before; 0: they do not.", True)]
        | UnsetType
    ) = UNSET
    template_ref: TemplateRef | UnsetType = UNSET
    activation_status: ActivationStatus | UnsetType | None = UNSET
    protocol: (
        Annotated[
            Literal["http", "https"],
            about("https redirects visitors to https; it provides no certificate.", "https"),
        ]
        | UnsetType
    ) = UNSET
    always_redirect_to_primary_domain: (
        Annotated[bool, about("1: every other domain of the site redirects to the primary one.", True)] | UnsetType
    ) = UNSET
    redirect_to_primary: (
        Annotated[
            bool,
            about(
                "The same by its name in responses; `alwaysRedirectToPrimaryDomain` takes precedence.",
                True,
            ),
        ]
        | UnsetType
    ) = UNSET
    enabled: (
        Annotated[bool, about("0: offline regardless of other settings, and cannot be published.", True)] | UnsetType
    ) = UNSET


class NewDomain(msgspec.Struct, frozen=True):
    """A host name to map to a site."""

    domain: Domain


class SiteView(msgspec.Struct, frozen=True):
    """Which sites can be seen."""

    deleted: Annotated[bool, about("1: also when it is deleted.", False)] = False


class UserSitesView(msgspec.Struct, frozen=True):
    """Which sites of a user to list."""

    deleted: Deleted = False
    limit: Limit = MAX_LIMIT
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None


class SiteFilter(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Which sites to list; all given filters must match."""

    brand_ref: BrandRef
    domain: (
        Annotated[
            str,
            about(
                "Only sites with a mapped domain that holds this text, in any case.", "bakery", max_length=MAX_DOMAIN
            ),
        ]
        | None
    ) = None
    limit: Limit = 10
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None
    deleted: Deleted = False
