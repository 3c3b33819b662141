"""Events about the health of mapped domains."""

from typing import Annotated

from sitewright.events.kinds import EventBody, EventKind, HolderField, NamedSiteField
from sitewright.kit.http.about import about


class HealthBody(EventBody, frozen=True, kw_only=True, rename="camel"):
    """A domain whose state changed."""

    site: NamedSiteField
    account_holder: HolderField
    domain_ref: Annotated[int, about("The domain's number.", 1)]
    status: Annotated[str, about("The result of the check.", "failing")]
    failing: Annotated[list[str], about("The codes of the checks that fail.", ["pointsHere"])]


DOMAIN_HEALTHY = EventKind(
    name="domain.healthy", summary="A domain works, for the first time or again.", body=HealthBody
)
DOMAIN_FAILING = EventKind(name="domain.failing", summary="A domain does not work any more.", body=HealthBody)
KINDS = (DOMAIN_HEALTHY, DOMAIN_FAILING)
