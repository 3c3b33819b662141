from functools import partial

from msgspec import UNSET

from sitewright.accounts.resellers.errors import AccountCreateLimitReached
from sitewright.accounts.users import listing, service
from sitewright.accounts.users.checks import check_user
from sitewright.accounts.users.errors import Anonymized, UsernameTaken, UserNotFound
from sitewright.accounts.users.requests import NewUser, RestoreFlag, Suspension, UserChanges, UserFilter, UserView
from sitewright.accounts.users.schemas import AccountHolder, AccountHolders, EditedAccountHolder
from sitewright.catalogue.vendor_names import with_vendor_names
from sitewright.kit.auth.rights import Right
from sitewright.kit.http import Call, endpoint
from sitewright.kit.paging import Window, set_links
from sitewright.kit.problems import Problem
from sitewright.kit.versions import Since
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound

USER = "/users/{user_ref:int}"
SHORTER_PASSWORDS = Since(release=37, field="password", older_maximum=19)


@endpoint(
    "GET",
    "/users",
    query=UserFilter,
    list_field="account_holders",
    since=(Since(release=44, field="resellerRef"),),
    errors=(BrandNotFound,),
)
async def list_users(call: Call) -> AccountHolders:
    """The users of the brand, page by page."""
    brand = await brands.settings_of_brand(call.tx)
    query = await call.checked_query(UserFilter, partial(listing.check_filter, call.tx, call.caller, brand))
    window = Window(limit=query.limit, offset=query.offset, after=query.after, before=query.before)
    users, page = await listing.list_users(call.tx, call.caller, brand, query, window)
    set_links(call, window, page)
    return with_vendor_names(users, call.resources.settings)


@endpoint("GET", USER, query=UserView, errors=(UserNotFound,))
async def get_user(call: Call, user_ref: int) -> AccountHolder:
    """One user of the brand."""
    query = call.query(UserView)
    user = await service.get_user(call.tx, call.caller, user_ref, show_deleted=query.show_deleted)
    return with_vendor_names(AccountHolder(user), call.resources.settings)


async def hash_new_password(call: Call) -> None:
    """Validation errors of the body are left to the endpoint."""
    try:
        new = call.body(NewUser)
    except Problem:
        return
    call.prepared = await call.resources.passwords.hash(new.password, call.brand_ref)


@endpoint(
    "POST",
    "/users",
    status=201,
    body=NewUser,
    since=(Since(release=106, field="metadata"), SHORTER_PASSWORDS),
    brand_in_body=True,
    prepare=hash_new_password,
    errors=(UsernameTaken, AccountCreateLimitReached),
)
async def create_user(call: Call) -> AccountHolder:
    """Create a user, on the brand's default package."""
    brand = await brands.settings_of_brand_in_body(call.tx)
    new = await call.checked_body(NewUser, partial(check_user, call.tx, call.caller, brand))
    user = await service.create_user(call.tx, call.resources.sealer, call.caller, brand, new, call.prepared)
    call.subject_refs["user_ref"] = user.ref
    return with_vendor_names(AccountHolder(user), call.resources.settings)


async def hash_changed_password(call: Call) -> None:
    try:
        changes = call.body(UserChanges)
    except Problem:
        return
    if changes.password is not UNSET:
        call.prepared = await call.resources.passwords.hash(changes.password, call.brand_ref)


@endpoint(
    "PUT",
    USER,
    body=UserChanges,
    since=(SHORTER_PASSWORDS,),
    prepare=hash_changed_password,
    errors=(UserNotFound, UsernameTaken, Anonymized, AccountCreateLimitReached),
)
async def edit_user(call: Call, user_ref: int) -> EditedAccountHolder:
    """Change a user; fields that are left out stay as they are.

    `deleted: 0` restores a deleted user; any other edit of a deleted user gets a 404.
    """
    user = await service.find_user(call.tx, call.caller, user_ref, deleted=_restores(call), lock=True)
    brand = await brands.settings_of_brand(call.tx)
    changes = await call.checked_body(UserChanges, partial(check_user, call.tx, call.caller, brand))
    edited = await service.edit_user(call.tx, call.resources.sealer, call.caller, user, changes, call.prepared)
    return with_vendor_names(EditedAccountHolder(edited), call.resources.settings)


@endpoint("DELETE", USER, status=204, errors=(UserNotFound,))
async def delete_user(call: Call, user_ref: int) -> None:
    """Soft-delete a user; its sites go offline.

    No query parameter makes it permanent: `hard=1`, which some clients send, is ignored like any unknown parameter.
    """
    user = await service.find_user(call.tx, call.caller, user_ref, lock=True)
    await service.delete_user(call.tx, call.caller, user)


@endpoint("POST", USER + "/anonymise", status=204, since=(Since(release=67),), errors=(UserNotFound,))
async def anonymise_user(call: Call, user_ref: int) -> None:
    """Erase all personal details of a user, deleted or not. This cannot be undone."""
    user = await service.find_user(call.tx, call.caller, user_ref, deleted=True, lock=True)
    await service.anonymize_user(call.tx, call.caller, user)


@endpoint("POST", USER + "/suspend", right=Right.SUPPORT, status=204, body=Suspension, errors=(UserNotFound,))
async def suspend_user(call: Call, user_ref: int) -> None:
    """Suspend a user: no log-in, and the sites show the offline page."""
    user = await service.find_user(call.tx, call.caller, user_ref, lock=True)
    await service.suspend_user(call.tx, call.caller, user, call.body(Suspension).reason)


@endpoint("POST", USER + "/unsuspend", right=Right.SUPPORT, status=204, errors=(UserNotFound,))
async def unsuspend_user(call: Call, user_ref: int) -> None:
    """End a suspension; the sites go online again automatically."""
    user = await service.find_user(call.tx, call.caller, user_ref, lock=True)
    await service.unsuspend_user(call.tx, call.caller, user)


endpoints = [
    list_users,
    get_user,
    create_user,
    edit_user,
    delete_user,
    anonymise_user,
    suspend_user,
    unsuspend_user,
]


def _restores(call: Call) -> bool:
    """Checked before the rest of the body: for a deleted user, a 404 takes precedence over a 400."""
    try:
        return call.body(RestoreFlag).deleted is False
    except Problem:
        return False
