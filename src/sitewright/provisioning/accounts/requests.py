"""Request schemas: the described account. A field that is left out stays as it is."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.accounts.account_packages.schemas import Months
from sitewright.accounts.users.service import DescribedUser, MetadataList
from sitewright.kit.http.about import about
from sitewright.kit.paging import Cursor, Limit, Offset, Window
from sitewright.kit.validation import Ref
from sitewright.sites.sites.service import Domain, TemplateRef

MAX_SITES = 100
MAX_DOMAINS = 100
_HOLDER = {
    "firstName": "Joe", "lastName": "Baker", "username": "joes-bakery", "email": "joe@mail.example",
    "password": "fresh bread daily", "languageCode": "en",
}  # fmt: skip
_SITE = {"domain": "www.joes-bakery.example", "businessName": "Joe's Bakery", "published": True}
PackageRef = Annotated[Ref, about("A subscription: one of the brand's active packages.", 3)]
BillingFrequency = Annotated[
    Months | None,
    about(
        "The billing period in months. Left out: as it is, or for another package the shortest it has a price for.", 12
    ),
]


class DescribedPackage(msgspec.Struct, frozen=True, rename="camel"):
    """The account's subscription."""

    package_ref: PackageRef
    billing_frequency: BillingFrequency = None


class DescribedSite(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A site of the account, recognized by its domain."""

    domain: Annotated[
        Domain, about("The primary domain, a full host name. The account's site that has it is meant.", _SITE["domain"])
    ]
    domains: (
        Annotated[
            list[Domain],
            about(
                "All other domains of the site; those that are not listed are unmapped.",
                ["joes-bakery.example"],
                max_length=MAX_DOMAINS,
            ),
        ]
        | UnsetType
        | None
    ) = UNSET
    business_name: (
        Annotated[
            str, about("The field `business` of the site's profile; null for none.", "Joe's Bakery", max_length=10_000)
        ]
        | UnsetType
        | None
    ) = UNSET
    template_ref: TemplateRef | UnsetType | None = UNSET
    published: (
        Annotated[
            bool,
            about(
                "1: visitors see the site, which is published if it never was; later edits are not published by this"
                " call. 0: they do not see it.",
                True,
            ),
        ]
        | UnsetType
    ) = UNSET


class Adoption(msgspec.Struct, frozen=True, rename="camel"):
    """An existing user that becomes the account."""

    user_ref: Annotated[Ref, about("The user; it may have no other external id.", 41)]


class AccountDescription(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The account as it shall be. What is left out stays as it is; null or [] means none."""

    account_holder: Annotated[DescribedUser, about("The account holder.", _HOLDER)] | UnsetType = UNSET
    package: Annotated[
        DescribedPackage | UnsetType | None,
        about("The subscription; null: the brand's default package.", {"packageRef": 3, "billingFrequency": 12}),
    ] = UNSET
    suspended: Annotated[bool, about("1: no log-in, and the sites show the offline page.", False)] | UnsetType = UNSET
    sites: (
        Annotated[
            list[DescribedSite],
            about("The sites. Others are deleted only with `prune`.", [_SITE], max_length=MAX_SITES),
        ]
        | UnsetType
        | None
    ) = UNSET
    metadata: MetadataList | UnsetType | None = UNSET
    prune: Annotated[
        list[Literal["sites"]],
        about("`sites`: soft-delete the account's sites that `sites` does not describe.", ["sites"], max_length=10),
    ] = []
    adopt: Annotated[Adoption | None, about("For an external id that has no account yet.", {"userRef": 41})] = None


class ConvergeQuery(msgspec.Struct, frozen=True, rename="camel"):
    """How the call is made."""

    dry_run: Annotated[
        bool, about("1: the same checks, changes and errors, but nothing is written, sent or charged.", False)
    ] = False


class AccountView(msgspec.Struct, frozen=True, rename="camel"):
    """Which accounts can be seen."""

    show_deleted: Annotated[bool, about("1: also when it is deleted.", False)] = False


class AccountFilter(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Which accounts to list."""

    external_id: Annotated[str, about("Only the account with this id.", "service-4711", max_length=255)] | None = None
    show_deleted: Annotated[bool, about("1: deleted ones too.", False)] = False
    limit: Limit = 100
    offset: Offset = 0
    after: Cursor | None = None
    before: Cursor | None = None

    @property
    def window(self) -> Window:
        return Window(limit=self.limit, offset=self.offset, after=self.after, before=self.before)
