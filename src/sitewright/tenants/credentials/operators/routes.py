from sitewright.kit.auth.caller import NOT_RESELLERS
from sitewright.kit.http import Call, endpoint
from sitewright.kit.timestamps import timestamp
from sitewright.tenants.brands import service as brands
from sitewright.tenants.brands.errors import BrandNotFound
from sitewright.tenants.credentials.errors import LastBrandAdmin, OperatorNotFound
from sitewright.tenants.credentials.operators import service
from sitewright.tenants.credentials.operators.schemas import (
    OperatorChanges,
    OperatorDetails,
    OperatorList,
    OperatorResponse,
)
from sitewright.tenants.credentials.operators.service import Operator

OPERATORS = "/operators"
OPERATOR = OPERATORS + "/{operator_ref:int}"


@endpoint("GET", OPERATORS, roles=NOT_RESELLERS, errors=(BrandNotFound,))
async def list_operators(call: Call) -> OperatorList:
    """The people who work for the brand: they log in to the console, and to the API with HTTP Basic."""
    zone = (await brands.settings_of_brand(call.tx)).time_zone
    return OperatorList([_described(each, zone) for each in await service.list_operators(call.tx)])


@endpoint("GET", OPERATOR, roles=NOT_RESELLERS, errors=(OperatorNotFound,))
async def get_operator(call: Call, operator_ref: int) -> OperatorResponse:
    """One operator of the brand."""
    return await _response(call, await service.find_operator(call.tx, operator_ref))


@endpoint("PUT", OPERATOR, roles=NOT_RESELLERS, body=OperatorChanges, errors=(OperatorNotFound, LastBrandAdmin))
async def edit_operator(call: Call, operator_ref: int) -> OperatorResponse:
    """Change the role of an operator, which ends the operator's sessions of the console."""
    await service.find_operator(call.tx, operator_ref)
    role = call.body(OperatorChanges).role
    return await _response(call, await service.change_role(call.tx, call.caller, operator_ref, role))


@endpoint("DELETE", OPERATOR, roles=NOT_RESELLERS, status=204, errors=(OperatorNotFound, LastBrandAdmin))
async def remove_operator(call: Call, operator_ref: int) -> None:
    """Take all access away from an operator. The last brand-admin of a brand cannot be removed."""
    await service.remove(call.tx, call.caller, operator_ref)


endpoints = [list_operators, get_operator, edit_operator, remove_operator]


async def _response(call: Call, operator: Operator) -> OperatorResponse:
    return OperatorResponse(_described(operator, (await brands.settings_of_brand(call.tx)).time_zone))


def _described(operator: Operator, zone: str) -> OperatorDetails:
    return OperatorDetails(
        ref=operator.ref,
        username=operator.username,
        name=operator.name,
        email=operator.email,
        role=operator.role,
        second_factor=operator.has_second_factor,
        created=timestamp(operator.created_at, zone),
        last_used=None if operator.last_used_at is None else timestamp(operator.last_used_at, zone),
    )
