import msgspec

from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.timestamps import timestamp
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.credentials.api_credentials import service
from sitewright.tenants.credentials.api_credentials.schemas import (
    ApiCredential,
    ApiCredentialList,
    ApiCredentialResponse,
    CreatedApiCredential,
    CreatedApiCredentialResponse,
    NewApiCredential,
)
from sitewright.tenants.credentials.api_credentials.service import Credential
from sitewright.tenants.credentials.errors import CredentialNotFound, TooManyCredentials

CREDENTIALS = "/api-credentials"
CREDENTIAL = CREDENTIALS + "/{credential_ref:int}"


@endpoint("GET", CREDENTIALS, roles=NOT_RESELLERS, errors=(BrandNotFound,))
async def list_api_credentials(call: Call) -> ApiCredentialList:
    """The API credentials of the brand, also revoked ones, and when each was last used."""
    zone = (await brands.settings_of_brand(call.tx)).time_zone
    return ApiCredentialList([_described(each, zone) for each in await service.list_newest(call.tx)])


@endpoint("GET", CREDENTIAL, roles=NOT_RESELLERS, errors=(CredentialNotFound,))
async def get_api_credential(call: Call, credential_ref: int) -> ApiCredentialResponse:
    """One API credential of the brand."""
    found = await service.find(call.tx, credential_ref)
    return ApiCredentialResponse(_described(found, (await brands.settings_of_brand(call.tx)).time_zone))


@endpoint(
    "POST",
    CREDENTIALS,
    roles=NOT_RESELLERS,
    status=201,
    body=NewApiCredential,
    errors=(BrandNotFound, TooManyCredentials),
)
async def create_api_credential(call: Call) -> CreatedApiCredentialResponse:
    """Create an API credential. Its secrets are in this response, and cannot be read again."""
    brand = await brands.settings_of_brand(call.tx)
    wanted = call.body(NewApiCredential)
    created, secrets = await service.create(call.tx, call.resources.sealer, call.caller, brand.brand_ref, wanted)
    fields = msgspec.structs.asdict(_described(created, brand.time_zone))
    shown = {name: getattr(secrets, name) for name in ("consumer_secret", "access_token", "access_secret")}
    return CreatedApiCredentialResponse(CreatedApiCredential(**fields, **shown))


@endpoint("DELETE", CREDENTIAL, roles=NOT_RESELLERS, status=204, errors=(CredentialNotFound,))
async def revoke_api_credential(call: Call, credential_ref: int) -> None:
    """Revoke an API credential, also the caller's own: its next request gets 401."""
    await service.revoke(call.tx, call.caller, credential_ref)


endpoints = [list_api_credentials, get_api_credential, create_api_credential, revoke_api_credential]


def _described(credential: Credential, zone: str) -> ApiCredential:
    used, revoked = credential.last_used_at, credential.revoked_at
    return ApiCredential(
        ref=credential.ref,
        label=credential.label,
        role=credential.role,
        reseller_ref=credential.reseller_ref,
        consumer_key=credential.consumer_key,
        created=timestamp(credential.created_at, zone),
        last_used=None if used is None else timestamp(used, zone),
        revoked=None if revoked is None else timestamp(revoked, zone),
    )
