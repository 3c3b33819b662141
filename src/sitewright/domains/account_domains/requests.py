"""Request bodies of account domains."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.hosts import MAX_TYPED
from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref


class NewAccountDomain(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A domain to register; it needs `packageRef` or `domainProductRef`."""

    domain_name: Annotated[
        str,
        about(
            "One name before the product's suffix, without www; any alphabet.", "joes-bakery.com", max_length=MAX_TYPED
        ),
    ]
    package_ref: Annotated[Ref, about("A package of the brand that sells domains.", 4)] | None = None
    domain_product_ref: Annotated[Ref, about("The domain product of such a package.", 1)] | None = None
    auto_renew: (
        Annotated[bool, about("0: it ends when it expires. Left out: 1, where the product renews.", True)] | UnsetType
    ) = UNSET
    is_free: Annotated[
        bool, about("1: one of the free domains that the user's subscription includes; nothing is charged.", False)
    ] = False


class AccountDomainChanges(msgspec.Struct, frozen=True, rename="camel"):
    """The fields of an account domain that can be changed."""

    auto_renew: Annotated[bool, about("1: it renews, and is charged, when it would expire; 0: it ends then.", False)]
