from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.resellers import store


async def check_reseller(tx: Transaction, caller: Caller, reseller_ref: int | None) -> FieldErrors:
    """Whether `resellerRef` of a body or query may be named: a reseller names itself alone, others any of the brand."""
    if reseller_ref is None or reseller_ref == caller.reseller_ref:
        return {}
    if caller.reseller_ref is None and await store.reseller_exists(tx, reseller_ref):
        return {}
    return {"resellerRef": {"invalidResellerRef": "is not a reseller of your brand"}}
