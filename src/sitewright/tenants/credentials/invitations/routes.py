from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.origin import service_url
from sitewright.kit.timestamps import timestamp
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.credentials.errors import InvitationNotFound, TooManyOperators
from sitewright.tenants.credentials.invitations import service
from sitewright.tenants.credentials.invitations.schemas import (
    NewInvitation,
    OperatorInvitation,
    OperatorInvitationList,
    OperatorInvitationResponse,
)
from sitewright.tenants.credentials.invitations.service import Invitation

INVITATIONS = "/operator-invitations"


@endpoint("GET", INVITATIONS, roles=NOT_RESELLERS, errors=(BrandNotFound,))
async def list_operator_invitations(call: Call) -> OperatorInvitationList:
    """Invitations of staff that were neither accepted nor withdrawn."""
    zone = (await brands.settings_of_brand(call.tx)).time_zone
    return OperatorInvitationList([_described(each, zone) for each in await service.list_invitations(call.tx)])


@endpoint(
    "POST", INVITATIONS, roles=NOT_RESELLERS, status=201, body=NewInvitation, errors=(BrandNotFound, TooManyOperators)
)
async def create_operator_invitation(call: Call) -> OperatorInvitationResponse:
    """Invite a person to work for the brand: a link is mailed, which works once and for 7 days.

    The person chooses a user name and a password, and is then an operator with the role.
    """
    brand = await brands.settings_of_brand(call.tx)
    wanted, url = call.body(NewInvitation), service_url(call.resources.settings, call.request.origin)
    invitation = await service.invite(call.tx, call.resources.sealer, call.caller, brand.brand_ref, wanted, url)
    return OperatorInvitationResponse(_described(invitation, brand.time_zone))


@endpoint(
    "DELETE", INVITATIONS + "/{invitation_ref:int}", roles=NOT_RESELLERS, status=204, errors=(InvitationNotFound,)
)
async def delete_operator_invitation(call: Call, invitation_ref: int) -> None:
    """Withdraw an invitation: its link does not work any more."""
    await service.withdraw(call.tx, call.caller, invitation_ref)


endpoints = [list_operator_invitations, create_operator_invitation, delete_operator_invitation]


def _described(invitation: Invitation, zone: str) -> OperatorInvitation:
    return OperatorInvitation(
        ref=invitation.ref,
        name=invitation.name,
        email=invitation.email,
        role=invitation.role,
        created=timestamp(invitation.created_at, zone),
        expires=timestamp(invitation.expires_at, zone),
    )
