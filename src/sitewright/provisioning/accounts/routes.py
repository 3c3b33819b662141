from msgspec import UNSET

from sitewright.accounts.resellers.errors import AccountCreateLimitReached
from sitewright.accounts.users.errors import Anonymized, UsernameTaken
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.call import plain_body
from sitewright.kit.paging import set_links
from sitewright.provisioning.accounts import preparation, service
from sitewright.provisioning.accounts.checks import is_external_id, read_description
from sitewright.provisioning.accounts.errors import (
    AccountBusy,
    AccountChanged,
    AccountClaimed,
    AccountNotFound,
    ExternalIdTaken,
    InvalidExternalId,
)
from sitewright.provisioning.accounts.holder import holder_of
from sitewright.provisioning.accounts.preparation import Needs, Ready
from sitewright.provisioning.accounts.requests import AccountDescription, AccountFilter, AccountView, ConvergeQuery
from sitewright.provisioning.accounts.run import Run
from sitewright.provisioning.accounts.schemas import Accounts, ConvergedAccount, OneAccount
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.sites.errors import (
    DomainLimitReached,
    DomainReserved,
    DomainTaken,
    PackageLimitReached,
    SiteDisabled,
)
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound

ACCOUNTS = "/brands/{brand_ref:int}/accounts"
ACCOUNT = ACCOUNTS + "/{external_id:str}"
IF_MATCH = "if-match"


class Carried:
    """What an attempt leaves to the next one."""

    def __init__(self, description: AccountDescription, needs: Needs, ready: Ready) -> None:
        self.description, self.needs, self.ready = description, needs, ready


async def prepare_account(call: Call) -> None:
    """Hash and render what the attempt before could not do in its transaction."""
    carried: Carried | None = call.carried
    if carried is None or call.brand_ref is None:
        return
    password = holder_of(carried.description).password
    call.prepared = await preparation.prepare(
        call.resources,
        call.brand_ref,
        call.caller,
        None if password is UNSET else password,
        carried.needs,
        carried.ready,
    )


@endpoint(
    "PUT",
    ACCOUNT,
    query=ConvergeQuery,
    body=AccountDescription,
    prepare=prepare_account,
    may_create=True,
    has_etag=True,
    errors=(
        BrandNotFound,
        UsernameTaken,
        AccountCreateLimitReached,
        Anonymized,
        AccountClaimed,
        ExternalIdTaken,
        InvalidExternalId,
        DomainTaken,
        DomainReserved,
        DomainLimitReached,
        SiteDisabled,
        PackageLimitReached,
        TemplateFailed,
        SiteTooLarge,
        AccountChanged,
        AccountBusy,
    ),
)
async def put_account(call: Call, brand_ref: int, external_id: str) -> ConvergedAccount:  # noqa: ARG001 - the call's
    """Bring an account to the described state, from any present state.

    `externalId` is your own id of the account, such as the number of a service in a billing panel. The account is
    created if there is none with this id, and else changed where it differs, all or nothing. The same request again
    changes nothing and sends and charges nothing, so a request without a response is simply repeated.
    """
    brand = await brands.settings_of_brand(call.tx)
    dry_run = call.query(ConvergeQuery).dry_run
    run = Run(call.tx, call.resources, call.caller, brand, call.prepared or Ready())
    state = await service.find(run, external_id) if is_external_id(external_id) else None
    values = plain_body(call.request)
    description = await read_description(call.tx, call.caller, brand, external_id, values, exists=state is not None)
    if_match = call.request.headers.get(IF_MATCH)
    try:
        outcome = await service.converge(run, external_id, state, description, if_match, dry_run=dry_run)
    except AccountBusy:
        call.carried = Carried(description, run.needs, run.ready)
        raise
    call.response_headers["ETag"] = f'"{outcome.etag}"'
    if outcome.created and not dry_run:
        call.status = 201
    return ConvergedAccount(outcome.account, outcome.changes, outcome.pending, dry_run)


@endpoint("GET", ACCOUNT, query=AccountView, has_etag=True, errors=(AccountNotFound,))
async def get_account(call: Call, brand_ref: int, external_id: str) -> OneAccount:  # noqa: ARG001 - the call's
    """One account, by your own id."""
    _require_well_formed(external_id)
    show_deleted = call.query(AccountView).show_deleted
    account, pending, etag = await service.get_account(
        call.tx, call.resources, call.caller, external_id, show_deleted=show_deleted
    )
    call.response_headers["ETag"] = f'"{etag}"'
    return OneAccount(account, pending)


@endpoint("DELETE", ACCOUNT, status=204, has_etag=True, errors=(AccountNotFound, AccountChanged))
async def delete_account(call: Call, brand_ref: int, external_id: str) -> None:  # noqa: ARG001 - the call's
    """Soft-delete the user of an account; its sites go offline. Describing the account again restores it."""
    _require_well_formed(external_id)
    await service.delete_account(call.tx, call.caller, external_id, call.request.headers.get(IF_MATCH))


@endpoint("GET", ACCOUNTS, query=AccountFilter, list_field="accounts", errors=(BrandNotFound,))
async def list_accounts(call: Call, brand_ref: int) -> Accounts:  # noqa: ARG001 - the call's
    """The accounts of the brand that have an external id, page by page."""
    query = call.query(AccountFilter)
    accounts, page = await service.list_accounts(call.tx, call.caller, query)
    if not accounts:
        await brands.require_brand(call.tx)
    set_links(call, query.window, page)
    return Accounts(accounts)


endpoints = [put_account, get_account, delete_account, list_accounts]


def _require_well_formed(external_id: str) -> None:
    """An id that no account can have gets the response of one that does not exist."""
    if not is_external_id(external_id):
        raise AccountNotFound
