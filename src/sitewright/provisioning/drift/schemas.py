from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.paging import MAX_LIMIT, Limit
from sitewright.kit.validation import Text
from sitewright.provisioning.drift.kinds import DriftKind

EACH_KIND = (
    "`paidNotLive`: pays for a package, and no site is online; `liveNotPaid`: more live sites than the package has;"
    " `suspendedServed`: suspended, and mailboxes still receive mail; `domainElsewhere`: a mapped host name does not"
    " lead here; `certificateExpiring`: a certificate ends and has no successor; `mailboxWithoutDomain`: mailboxes of a"
    " domain that is not registered; `unclaimedAccount`: no external id names the account holder."
)
CURSOR = "paidNotLive:41"
Cursor = Annotated[str, Text(1, 60), about("The page after (or before) this place; from the Link header.", CURSOR)]


class DriftFilter(msgspec.Struct, frozen=True):
    """Which part of the list to read."""

    kind: Annotated[DriftKind | None, about(f"Only this kind. {EACH_KIND}", "paidNotLive")] = None
    limit: Limit = MAX_LIMIT
    after: Cursor | None = None
    before: Cursor | None = None


class DriftEntry(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Something that is not as the account holder's package has it. Refs that do not apply are null."""

    kind: Annotated[DriftKind, about(EACH_KIND, "paidNotLive")]
    code: Annotated[str, about("A stable name of the reason.", "neverPublished")]
    reason: Annotated[
        str, about("The same in words.", "The account holder pays for a package, but no site was ever published.")
    ]
    user_ref: Annotated[int | None, about("The account holder.", 41)]
    site_ref: Annotated[int | None, about("The site; of several the newest.", 5)]
    domain_ref: Annotated[int | None, about("The mapped host name.", None)]
    account_domain_ref: Annotated[int | None, about("The account domain.", None)]
    certificate_ref: Annotated[int | None, about("The certificate.", None)]
    package_ref: Annotated[int | None, about("The account holder's package.", 3)]


class DriftList(msgspec.Struct, frozen=True):
    """A page of the drift of a brand."""

    drift: Annotated[list[DriftEntry], about("Kind after kind.", [{"kind": "paidNotLive", "userRef": 41}])]
