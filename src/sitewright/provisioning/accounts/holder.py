"""The account holder of a described account: created, restored or edited, suspended or not."""

from typing import Any
from uuid import uuid4

import msgspec
from msgspec import UNSET

from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import UsernameTaken, UserNotFound
from sitewright.accounts.users.service import DescribedUser, Metadata, NewUser, UserChanges
from sitewright.kit.problems import Invalid
from sitewright.provisioning.accounts import store
from sitewright.provisioning.accounts.preparation import UNKNOWN_HASH, StoredPassword
from sitewright.provisioning.accounts.requests import AccountDescription
from sitewright.provisioning.accounts.run import Failure, Run
from sitewright.provisioning.accounts.state import AccountState

HOLDER = "accountHolder"
_NAMES = {
    field.name: field.encode_name
    for field in msgspec.structs.fields(DescribedUser)
    if field.name not in ("password", "metadata", "reseller_ref")
}
_NONE = {"phone_number": None, "cpf_number": None, "newsletter": False, "cpf_company": 0}
"""What null means; for other fields an empty text."""
_NOTHING = DescribedUser()


def holder_of(description: AccountDescription) -> DescribedUser:
    return _NOTHING if description.account_holder is UNSET else description.account_holder


def metadata_of(description: AccountDescription) -> list[Metadata] | None:
    """None: not described. Metadata of the account takes precedence over that inside `accountHolder`."""
    sent = description.metadata if description.metadata is not UNSET else holder_of(description).metadata
    return None if sent is UNSET else sent or []


def described_values(holder: DescribedUser) -> dict[str, Any]:
    """The described fields by attribute."""
    sent = {name: value for name in _NAMES if (value := getattr(holder, name)) is not UNSET}
    return {name: _NONE.get(name, "") if value is None else value for name, value in sent.items()}


async def create_holder(run: Run, description: AccountDescription) -> int | None:
    """The ref of the new user; None if that fails."""
    holder, metadata = holder_of(description), metadata_of(description)
    values = described_values(holder) | {"metadata": metadata or []}
    reseller_ref = None if holder.reseller_ref is UNSET else holder.reseller_ref
    new = NewUser(brand_ref=run.brand.brand_ref, reseller_ref=reseller_ref, password=holder.password, **values)  # type: ignore[arg-type]
    if run.ready.new_hash is None:
        run.needs.new_hash = True
    password_hash = run.ready.new_hash or UNKNOWN_HASH
    user_ref = await _create(run, new, password_hash)
    if await _names_username(run, new.username):
        stand_in = msgspec.structs.replace(new, username=uuid4().hex)
        return await _create(run, stand_in, password_hash)  # rolled back; the other paths are checked with it
    shown = {_NAMES[name]: value for name, value in described_values(holder).items()}
    run.change(HOLDER, "create", None, shown)
    if metadata:
        run.change("metadata", "create", None, _as_object(metadata))
    return user_ref


async def _create(run: Run, new: NewUser, password_hash: str) -> int | None:
    user_ref = None
    async with run.step(HOLDER):
        created = await users.create_user(run.tx, run.resources.sealer, run.caller, run.brand, new, password_hash)
        user_ref = created.ref
    return user_ref  # noqa: RET504 - None where the step fails


async def _names_username(run: Run, username: str) -> bool:
    """Whether the step failed because the username is taken: that failure names its path and the other user."""
    if not run.failures or not isinstance(run.failures[-1].problem, UsernameTaken):
        return False
    run.failures[-1] = Failure(f"{HOLDER}.username", await _username_conflict(run, username))
    return True


async def _username_conflict(run: Run, username: str) -> UsernameTaken:
    """Names the user, if the caller may access it, so that it can be adopted."""
    user_ref = await users.find_by_username(run.tx, username)
    try:
        await users.find_user(run.tx, run.caller, user_ref or 0)
    except UserNotFound:
        return UsernameTaken()
    if (external_id := await store.find_external_id(run.tx, user_ref or 0)) is not None:
        return UsernameTaken(
            f'User {user_ref}, the account of the external id "{external_id}", has this username. Use that external id,'
            " or choose another username.",
            current={"userRef": user_ref, "externalId": external_id},
        )
    return UsernameTaken(
        f'User {user_ref} has this username. To make it this account, send "adopt": {{"userRef": {user_ref}}}; else'
        " choose another username.",
        current={"userRef": user_ref},
    )


def changed_values(state: AccountState, description: AccountDescription) -> dict[str, tuple[Any, Any]]:
    """The former and the new value of each field that differs, by attribute; without the password."""
    described = described_values(holder_of(description))
    changed = {name: (state.holder[name], value) for name, value in described.items() if state.holder[name] != value}
    metadata = metadata_of(description)
    if metadata is not None and sorted(state.metadata) != sorted((each.name, each.value) for each in metadata):
        changed["metadata"] = (state.metadata, metadata)
    if state.deleted:
        changed["deleted"] = (True, False)
    return changed


def changes_reseller(state: AccountState, description: AccountDescription) -> bool:
    sent = holder_of(description).reseller_ref
    return sent is not UNSET and sent != state.holder["reseller_ref"]


async def changes_password(run: Run, state: AccountState, description: AccountDescription) -> bool:
    """Whether the described password is another one; where that is not known yet, it is noted as needed."""
    password = holder_of(description).password
    if password is UNSET:
        return False
    stored = await users.find_password_hash(run.tx, state.user_ref)
    if stored is None or stored == run.ready.differing_hash:
        return True
    if stored != run.ready.matching_hash and not run.passwords.is_known(state.user_ref, password, stored):
        run.needs.compare = StoredPassword(state.user_ref, stored)
    return False


async def converge_holder(run: Run, state: AccountState, description: AccountDescription) -> None:
    """Edit an account holder whose row is locked."""
    if changes_reseller(state, description):
        message = "is fixed when the account is created"
        run.fail(HOLDER, Invalid.fields({"resellerRef": {"invalidResellerRef": message}}))
    changed = changed_values(state, description)
    new_password = await changes_password(run, state, description)
    if not changed and not new_password:
        return
    async with run.step(HOLDER):
        await _edit(run, state, changed, new_password=new_password)
    await _names_username(run, changed.get("username", (None, state.holder["username"]))[1])
    for name, (before, after) in changed.items():
        _record(run, name, before, after)
    if new_password:
        run.change(f"{HOLDER}.password", "update", None, None)


async def _edit(run: Run, state: AccountState, changed: dict[str, tuple[Any, Any]], *, new_password: bool) -> None:
    password_hash = None
    if new_password:
        run.needs.new_hash = run.ready.new_hash is None
        password_hash = run.ready.new_hash or UNKNOWN_HASH
    changes = UserChanges(**{name: after for name, (_, after) in changed.items()})
    if new_password:
        changes = msgspec.structs.replace(changes, password="")
    user = await users.find_user(run.tx, run.caller, state.user_ref, deleted=True)
    await users.edit_user(run.tx, run.resources.sealer, run.caller, user, changes, password_hash)


def _record(run: Run, name: str, before: Any, after: Any) -> None:
    if name == "metadata":
        run.change("metadata", "update", dict(before), _as_object(after))
    elif name == "deleted":
        run.change("deleted", "update", before, after)
    else:
        run.change(f"{HOLDER}.{_NAMES[name]}", "update", before, after)


def _as_object(metadata: list[Metadata]) -> dict[str, str]:
    return {each.name: each.value for each in metadata}


def changes_suspension(state: AccountState, description: AccountDescription) -> bool:
    return description.suspended is not UNSET and description.suspended != state.suspended


async def converge_suspension(run: Run, state: AccountState, description: AccountDescription) -> None:
    if not changes_suspension(state, description):
        return
    async with run.step("suspended"):
        user = await users.find_user(run.tx, run.caller, state.user_ref)
        if description.suspended:
            await users.suspend_user(run.tx, run.caller, user, None)
        else:
            await users.unsuspend_user(run.tx, run.caller, user)
        run.change("suspended", "update", state.suspended, description.suspended)
