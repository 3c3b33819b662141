"""The rules of provisioned accounts. Everything else is decided by the services of users, packages and sites."""

from collections.abc import Sequence

import msgspec

from sitewright.accounts.users import service as users
from sitewright.accounts.users.errors import UserNotFound
from sitewright.domains.certificates.acme import service as certificates
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.http.etags import precondition_holds
from sitewright.kit.paging import Page, cut
from sitewright.kit.problems import Invalid
from sitewright.kit.resources import Resources
from sitewright.provisioning.accounts import holder, store
from sitewright.provisioning.accounts.errors import (
    AccountBusy,
    AccountChanged,
    AccountClaimed,
    AccountNotFound,
    ExternalIdTaken,
)
from sitewright.provisioning.accounts.package import converge_package, package_of, requested_package
from sitewright.provisioning.accounts.requests import AccountDescription, AccountFilter
from sitewright.provisioning.accounts.run import Run
from sitewright.provisioning.accounts.schemas import Account, AccountChange, AccountPackage, PendingWork
from sitewright.provisioning.accounts.site_plan import PlannedSite, match, plan_sites, unplanned
from sitewright.provisioning.accounts.sites import converge_sites, differs
from sitewright.provisioning.accounts.state import AccountState, SiteState, etag_of

UNFINISHED = {
    "pending": ("certificatePending", "The certificate is being obtained."),
    "failing": ("certificateFailing", "The certificate cannot be obtained at present."),
}
"""The code and the text where there is no valid certificate yet."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    account: Account
    changes: list[AccountChange]
    pending: list[PendingWork]
    etag: str
    created: bool


async def converge(
    run: Run,
    external_id: str,
    state: AccountState | None,
    description: AccountDescription,
    if_match: str | None,
    *,
    dry_run: bool,
) -> Outcome:
    """Bring the account to the described state, all or nothing. `state`: from `find`.

    Raises `AccountBusy` while something must be prepared outside of the transaction: `run.needs` says what.
    """
    planned = plan_sites(description)
    if description.adopt is not None and state is not None and state.user_ref != description.adopt.user_ref:
        raise ExternalIdTaken("This external id belongs to another user than the one to adopt.")
    if state is not None or description.adopt is None:
        _check_precondition(if_match, state)
    if state is not None and not await _differs(run, state, description, planned):
        if run.needs.any:
            raise AccountBusy
        return await _outcome(run, external_id, state, planned)
    if not dry_run:
        return await _apply(run, external_id, state, description, planned, if_match, dry_run=False)
    await store.begin_step(run.tx, "dry_run")
    outcome = await _apply(run, external_id, state, description, planned, if_match, dry_run=True)
    await store.undo_step(run.tx, "dry_run")
    return outcome


async def find(run: Run, external_id: str) -> AccountState | None:
    """Where there is none, the external id is locked, so that concurrent calls create one account."""
    state = await store.find_account(run.tx, external_id, run.caller.reseller_ref)
    if state is not None:
        return state
    await store.lock_external_id(run.tx, external_id)
    state = await store.find_account(run.tx, external_id, run.caller.reseller_ref)
    if state is None and await store.find_claim(run.tx, external_id) is not None:
        raise ExternalIdTaken
    return state


def _check_precondition(if_match: str | None, state: AccountState | None) -> None:
    if not precondition_holds(if_match, etag_of(state), exists=state is not None):
        raise AccountChanged


async def _differs(
    run: Run, state: AccountState, description: AccountDescription, planned: list[PlannedSite] | None
) -> bool:
    """Read without a lock: an account that is as described is left alone."""
    return (
        bool(holder.changed_values(state, description))
        or holder.changes_reseller(state, description)
        or holder.changes_suspension(state, description)
        or (planned is not None and differs(state, planned, prune="sites" in description.prune))
        or await requested_package(run, state, description) is not None
        or await holder.changes_password(run, state, description)
    )


async def _apply(
    run: Run,
    external_id: str,
    found: AccountState | None,
    description: AccountDescription,
    planned: list[PlannedSite] | None,
    if_match: str | None,
    *,
    dry_run: bool,
) -> Outcome:
    run.pending.clear()
    state = await _lock(run, external_id, description)
    created = state is None
    if created and found is not None:  # anonymized since
        raise AccountBusy
    if state is None:
        user_ref = await _create(run, external_id, description)
    else:
        _check_precondition(if_match, state)
        user_ref = state.user_ref
        await holder.converge_holder(run, state, description)
    if user_ref is not None:
        await _converge_rest(run, user_ref, description, planned)
    run.raise_failures()
    if user_ref is None or run.needs.compare or run.needs.sites or (run.needs.new_hash and not dry_run):
        raise AccountBusy
    outcome = await _outcome(run, external_id, await store.read_state(run.tx, user_ref), planned)
    outcome = msgspec.structs.replace(outcome, created=created)
    return _as_plan(outcome, state) if dry_run else outcome


async def _converge_rest(
    run: Run, user_ref: int, description: AccountDescription, planned: list[PlannedSite] | None
) -> None:
    state = await store.read_state(run.tx, user_ref)
    if state.deleted:  # it could not be restored
        return
    await holder.converge_suspension(run, state, description)
    await converge_package(run, state, description)
    if planned is not None:
        online = {site.ref for site in state.sites if site.published}
        await converge_sites(run, user_ref, planned, online, prune="sites" in description.prune)


async def _lock(run: Run, external_id: str, description: AccountDescription) -> AccountState | None:
    """The account, whose user is locked and read again; adopted if so described."""
    state = await store.find_account(run.tx, external_id, run.caller.reseller_ref)
    if state is None and description.adopt is None:
        return None
    user_ref = state.user_ref if state is not None else await _adopt(run, external_id, description)
    await users.find_user(run.tx, run.caller, user_ref, deleted=True, lock=True)
    return await store.read_state(run.tx, user_ref)


async def _adopt(run: Run, external_id: str, description: AccountDescription) -> int:
    assert description.adopt is not None  # noqa: S101 - the caller has checked it
    try:
        user = await users.find_user(run.tx, run.caller, description.adopt.user_ref, deleted=True, lock=True)
    except UserNotFound:
        user = None
    if user is None or user.anonymized:
        message = "is not a user of yours that can be adopted"
        raise Invalid.fields({"adopt.userRef": {"invalidUserRef": message}})
    if not await store.insert_claim(run.tx, external_id, user.ref, clock.now()):
        raise AccountClaimed
    await audit.record_by(run.tx, run.caller, "adopt", "user", user.ref)
    run.change("adopt", "update", None, {"userRef": user.ref})
    return user.ref


async def _create(run: Run, external_id: str, description: AccountDescription) -> int | None:
    user_ref = await holder.create_holder(run, description)
    if user_ref is not None and not await store.insert_claim(run.tx, external_id, user_ref, clock.now()):
        raise AccountBusy
    return user_ref


async def _outcome(run: Run, external_id: str, state: AccountState, planned: Sequence[PlannedSite] | None) -> Outcome:
    matched = match(state.sites, planned or [])
    ordered = [each for each in matched if each is not None] + unplanned(state.sites, matched)
    paths = {name: site.path_of(name) for site in planned or [] for name in (site.domain, *(site.others or []))}
    work = await find_pending(run.tx, run.resources, ordered, paths)
    return Outcome(
        account=present(external_id, state, ordered),
        changes=run.changes,
        pending=[*run.pending, *work],
        etag=etag_of(state),
        created=False,
    )


def present(external_id: str, state: AccountState, ordered: Sequence[SiteState]) -> Account:
    return Account(
        external_id=external_id,
        user_ref=state.user_ref,
        site_refs=[site.ref for site in ordered],
        package=package_of(state),
        suspended=state.suspended,
        deleted=state.deleted,
    )


def _as_plan(outcome: Outcome, state: AccountState | None) -> Outcome:
    """With the tag of the account as it is, and without the refs that the dry run took."""
    known = set() if state is None else {site.ref for site in state.sites}
    account = msgspec.structs.replace(
        outcome.account,
        user_ref=None if outcome.created else outcome.account.user_ref,
        site_refs=[ref if ref in known else None for ref in outcome.account.site_refs],
    )
    return msgspec.structs.replace(outcome, account=account, etag=etag_of(state))


async def find_pending(
    tx: Transaction, resources: Resources, sites: Sequence[SiteState], paths: dict[str, str]
) -> list[PendingWork]:
    """Certificates that are being obtained; `paths`: the places of host names in the request.

    Names of a site without a place of their own share one entry, if there is the same to say about them.
    """
    places = {site.primary: f"sites[{number}].domain" for number, site in enumerate(sites)} | paths
    domains = {domain.ref: (number, domain.name) for number, site in enumerate(sites) for domain in site.domains}
    if not domains or not resources.settings.acme_directory:
        return []
    states = await certificates.states_of_domains(tx, resources.settings, list(domains))
    names: dict[tuple[str, str, str], list[str]] = {}
    for ref, (number, name) in domains.items():
        state = states.get(ref)
        if state is None or state.replacement is None:
            continue
        code, text = UNFINISHED[state.replacement]
        work = (
            places.get(name, f"sites[{number}].domains"),
            code,
            text if state.reason is None else state.reason.detail,
        )
        names.setdefault(work, []).append(name)
    return [PendingWork(path, code, f"{', '.join(each)}: {text}") for (path, code, text), each in names.items()]


async def get_account(
    tx: Transaction, resources: Resources, caller: Caller, external_id: str, *, show_deleted: bool
) -> tuple[Account, list[PendingWork], str]:
    """The account, work that goes on, and the entity tag."""
    state = await _require(tx, caller, external_id, deleted=show_deleted)
    pending = await find_pending(tx, resources, state.sites, {})
    return present(external_id, state, state.sites), pending, etag_of(state)


async def _require(tx: Transaction, caller: Caller, external_id: str, *, deleted: bool = False) -> AccountState:
    state = await store.find_account(tx, external_id, caller.reseller_ref)
    if state is None or (state.deleted and not deleted):
        raise AccountNotFound
    return state


async def delete_account(tx: Transaction, caller: Caller, external_id: str, if_match: str | None) -> None:
    """Soft-delete the user; describing the account again restores it."""
    found = await _require(tx, caller, external_id)
    user = await users.find_user(tx, caller, found.user_ref, deleted=True, lock=True)
    _check_precondition(if_match, await _require(tx, caller, external_id))
    await users.delete_user(tx, caller, user)


async def list_accounts(tx: Transaction, caller: Caller, query: AccountFilter) -> tuple[list[Account], Page]:
    window = query.window
    found = await store.list_accounts(tx, caller.reseller_ref, query.external_id, window, deleted=query.show_deleted)
    accounts = [
        Account(
            external_id=each.external_id,
            user_ref=each.user_ref,
            site_refs=list(each.site_refs),
            package=None
            if each.package_ref is None or each.months is None
            else AccountPackage(each.package_ref, each.months),
            suspended=each.suspended,
            deleted=each.deleted,
        )
        for each in window.shown(found)
    ]
    return accounts, cut(window, [each.user_ref for each in found])


async def erase_user(tx: Transaction, user_ref: int) -> None:
    await store.erase_user(tx, user_ref)
