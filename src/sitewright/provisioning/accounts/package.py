"""The subscription of a described account."""

from msgspec import UNSET

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.account_packages.schemas import PackageRequest
from sitewright.kit.problems import Invalid
from sitewright.provisioning.accounts import store
from sitewright.provisioning.accounts.requests import AccountDescription
from sitewright.provisioning.accounts.run import Run
from sitewright.provisioning.accounts.schemas import AccountPackage, PendingWork
from sitewright.provisioning.accounts.state import AccountState

PATH = "package"
TRIAL_ENDED = PendingWork(
    PATH,
    "trialEnded",
    "The trial of this package has ended and is not started again by repeating the description. Describe another"
    " package, or assign the trial with POST /users/:userRef/account-packages.",
)


def package_of(state: AccountState) -> AccountPackage | None:
    if state.package_ref is None or state.months is None:
        return None
    return AccountPackage(state.package_ref, state.months)


async def requested_package(run: Run, state: AccountState, description: AccountDescription) -> PackageRequest | None:
    """The package to assign; None if the account has it, or had its trial."""
    if description.package is UNSET:
        return None
    if description.package is None:
        default_ref = run.brand.default_package_ref
        is_default = state.package_ref is None or state.package_ref == default_ref
        return None if is_default or default_ref is None else PackageRequest(default_ref)
    request = PackageRequest(description.package.package_ref, description.package.billing_frequency)
    if request.package_ref == state.package_ref and request.billing_frequency in (None, state.months):
        return None
    if request.package_ref == state.package_ref:
        return request
    if await account_packages.had_trial(run.tx, state.user_ref, request.package_ref):
        run.pending.append(TRIAL_ENDED)
        return None
    return request


async def converge_package(run: Run, state: AccountState, description: AccountDescription) -> None:
    """Assign the package, at once and with its charge. The user's row is locked."""
    request = await requested_package(run, state, description)
    if request is None:
        return
    async with run.step(PATH):
        await account_packages.assign_package(run.tx, run.resources.sealer, run.caller, state.user_ref, request)
        before, after = package_of(state), package_of(await store.read_state(run.tx, state.user_ref))
        if after is None or after.package_ref != request.package_ref:
            message = "is not a subscription; add other packages with POST /users/:userRef/account-packages"
            raise Invalid.fields({"packageRef": {"invalidPackageRef": message}})
        run.change(PATH, "create" if before is None else "update", before, after)
