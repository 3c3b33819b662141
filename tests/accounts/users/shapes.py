"""The types of every field of users (part 2.7 of the specification), and requests that create and read users."""

from typing import Any

import httpx

from tests.catalogue.packages.shapes import NONE, TEXT_OR_NULL
from tests.support.customers import new_user
from tests.support.database import Rows, rows_of
from tests.support.responses import object_in
from tests.support.users import OwnerConnection

BASE: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("ref", "suspended", "newsletter", "currencyRef", "cpfCompany", "storageBytesUsed"), (int,))
    | dict.fromkeys(("firstName", "lastName", "username", "email", "languageCode", "accountStatus"), (str,))
    | dict.fromkeys(("address1", "address2", "city", "state", "postcode", "country", "company"), (str,))
    | dict.fromkeys(("phoneNumber", "cpfNumber"), TEXT_OR_NULL)
    | {"beta": (bool,), "deleted": (bool,), "capabilities": (dict,), "accountPaymentMethodRef": (NONE,)}
    | {"created": (dict,), "lastLogin": (dict, NONE), "resellerRef": (int, NONE)}
)
GET_ONLY = dict.fromkeys(("subscriptionPackageRef", "brandRef", "nrtDaysToExpiry", "usedFreeDomains"), (int,)) | (
    dict.fromkeys(("nrtStatus", "editorAccess", "emailVerified"), (bool,))
)
GOT = BASE | GET_ONLY
LISTED = BASE | {"accountPackages": (list,)}
EDITED = BASE | {"beta": (str,)}
ACCOUNT_PACKAGE = dict.fromkeys(("ref", "deleteOnExpiry"), (int,)) | (
    dict.fromkeys(("startDateTime", "package", "billingCycle"), (dict,))
)
TS = {"date": (str,), "timezone_type": (int,), "timezone": (str,)}
OPTIONAL_TEXTS = (
    "phoneNumber", "address1", "address2", "city", "state", "postcode", "country", "company", "cpfNumber",
)  # fmt: skip
WRITTEN = (
    "users", "user_counts", "account_packages", "lifecycle_events", "charges", "mails", "audit_entries",
    "one_time_tokens", "sessions", "resellers",
)  # fmt: skip


async def create_user(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    return object_in(await client.post("/users", json=new_user(**changes)), "accountHolder", 201)


async def ref_of_new_user(client: httpx.AsyncClient, **changes: Any) -> int:
    ref: int = (await create_user(client, **changes))["ref"]
    return ref


async def get_user(client: httpx.AsyncClient, ref: int, **query: Any) -> dict[str, Any]:
    return object_in(await client.get(f"/users/{ref}", params=query), "accountHolder")


async def all_rows(owner: OwnerConnection) -> Rows:
    """Every row of the tables that endpoints of users may write, to compare before and after."""
    return await rows_of(owner, WRITTEN)


def address(length: int) -> str:
    """An e-mail address of exactly `length` characters, which must be at least 195."""
    return "a@" + ".".join(["b" * 63] * 3 + ["c" * (length - 194)])
