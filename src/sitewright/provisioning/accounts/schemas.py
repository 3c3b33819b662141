"""Response schemas of provisioned accounts."""

from typing import Annotated, Any, Literal

import msgspec

from sitewright.kit.http.about import about

_ACCOUNT = {
    "externalId": "service-4711", "userRef": 41, "siteRefs": [5],
    "package": {"packageRef": 3, "billingFrequency": 12}, "suspended": False, "deleted": False,
}  # fmt: skip
_PENDING = {"path": "sites[0].domain", "code": "certificatePending", "detail": "The certificate is being obtained."}
_CHANGE = {"path": "suspended", "action": "update", "from": True, "to": False}


class AccountPackage(msgspec.Struct, frozen=True, rename="camel"):
    """The subscription of an account."""

    package_ref: Annotated[int, about("The package.", 3)]
    billing_frequency: Annotated[int, about("Its billing period in months.", 12)]


class Account(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """An account that is provisioned under an external id."""

    external_id: Annotated[str, about("The caller's own id.", "service-4711")]
    user_ref: Annotated[int | None, about("The user; null if a dry run would create it.", 41)]
    site_refs: Annotated[
        list[int | None],
        about("The sites: described ones first, in their order; null for one that a dry run would create.", [5]),
    ]
    package: Annotated[
        AccountPackage | None, about("The subscription; null without any.", {"packageRef": 3, "billingFrequency": 12})
    ]
    suspended: Annotated[bool, about("Whether the user is suspended.", False)]
    deleted: Annotated[bool, about("Whether the user is deleted; describing the account restores it.", False)] = False


class AccountChange(msgspec.Struct, frozen=True, rename={"before": "from", "after": "to"}):
    """A difference between the account and its description. Passwords are not shown."""

    path: Annotated[str, about("Where, as in the request.", "suspended")]
    action: Annotated[Literal["create", "update", "delete"], about("What is done.", "update")]
    before: Annotated[Any, about("The former value; null for none.", True)]
    after: Annotated[Any, about("The new value; null for none.", False)]


class PendingWork(msgspec.Struct, frozen=True):
    """Work that goes on after the call; events report its end."""

    path: Annotated[str, about("What it is about.", "sites[0].domain")]
    code: Annotated[
        str,
        about(
            "`certificatePending`, `certificateFailing` or `trialEnded` (a trial is not started a second time).",
            "certificatePending",
        ),
    ]
    detail: Annotated[str, about("What is missing, for people.", "The certificate is being obtained.")]


class ConvergedAccount(msgspec.Struct, frozen=True, rename="camel"):
    """The account after the call, and what the call changed."""

    account: Annotated[Account, about("The account.", _ACCOUNT)]
    changes: Annotated[list[AccountChange], about("Empty if it was as described.", [_CHANGE])]
    pending: Annotated[list[PendingWork], about("Work that goes on.", [_PENDING])]
    dry_run: Annotated[bool, about("Whether nothing was written.", False)]


class OneAccount(msgspec.Struct, frozen=True):
    """One account."""

    account: Annotated[Account, about("The account.", _ACCOUNT)]
    pending: Annotated[list[PendingWork], about("Work that goes on.", [_PENDING])]


class Accounts(msgspec.Struct, frozen=True):
    """A page of accounts."""

    accounts: Annotated[list[Account], about("First created user first.", [_ACCOUNT])]
