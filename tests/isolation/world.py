"""Which estates exist, who calls, and which estates each caller must not see."""

from collections.abc import Mapping

import httpx
import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.resources import Resources
from tests.isolation.estates import NUMBERED, Builder, Estate, Plan, Refs
from tests.isolation.slots import BRAND_HEADER
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF, Cast, SignedBy
from tests.support.depth import DEEP
from tests.support.users import OwnerConnection

PLANS = (
    Plan(mark="ownqq", number=0),
    Plan(mark="siblingqq", number=1),
    Plan(mark="clientqq", number=2, reseller_ref=RESELLER_REF),
    Plan(mark="peerqq", number=3, reseller_ref=RESELLER_REF),
    Plan(mark="rivalqq", number=4, has_rival=True),
    Plan(mark="formerqq", number=5, has_rival=True, user_deleted=True, things_deleted=True),
    Plan(mark="goneqq", number=6, user_deleted=True, things_deleted=True),
    Plan(mark="emptiedqq", number=7, things_deleted=True),
    Plan(mark="leftqq", number=8, reseller_ref=RESELLER_REF, user_deleted=True, things_deleted=True),
    Plan(mark="clearedqq", number=9, reseller_ref=RESELLER_REF, things_deleted=True),
    Plan(mark="strangerqq", number=10, brand_ref=OTHER_BRAND),
    Plan(
        mark="ghostqq", number=11, brand_ref=OTHER_BRAND, user_deleted=True, things_deleted=True, template_of_brand=True
    ),
)
MADE_UP = Plan(mark="madeupqq", number=99)
"""Refs that do not exist."""

OF_THINGS = frozenset({
    "site", "domain", "page", "parentPage", "widget", "media", "globalValue", "staticWidget", "accountDomain",
    "mailbox", "dnsRecord", "host", "hosts", "message", "certificate",
    "redirect", "version", "previewLink",
})  # fmt: skip
OF_USERS = OF_THINGS | {
    "user", "accountPackage", "profile", "template", "username", "email", "resetHash",
    "verificationToken", "externalId",
}  # fmt: skip
OF_RESELLERS = frozenset({"reseller", "price"})
OF_BRANDS = frozenset({"brand", "package", "domainPackage", "domainProduct", "language"})
OF_STAFF = frozenset({"operator", "invitation", "consoleSession", "credential"})
EVERYTHING = OF_USERS | OF_RESELLERS | OF_BRANDS | OF_STAFF | {
    "subscription", "attempt", "job", "event", "mail", "auditEntry",
}  # fmt: skip


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a caller has no access to what a ref refers to."""

    name: str
    mark: str
    kinds: frozenset[str]
    """The estates to which this applies."""
    below_alone: bool = False
    """The caller has access to it, but not in combination with the rest of the request."""
    deleted: bool = False


OTHER_BRANDS = (
    Reason(name="other brand", mark="strangerqq", kinds=EVERYTHING),
    Reason(name="other brand, deleted", mark="ghostqq", kinds=OF_USERS | OF_RESELLERS),
)
OF_ADMINS = (
    *OTHER_BRANDS,
    Reason(name="other user", mark="siblingqq", kinds=EVERYTHING, below_alone=True),
    Reason(name="soft-deleted", mark="goneqq", kinds=OF_USERS | OF_RESELLERS, deleted=True),
    Reason(name="soft-deleted, of a user", mark="emptiedqq", kinds=OF_THINGS, deleted=True),
)
OF_RESELLER = (
    *OTHER_BRANDS,
    Reason(name="other reseller", mark="rivalqq", kinds=OF_USERS | OF_RESELLERS),
    Reason(name="other reseller, deleted", mark="formerqq", kinds=OF_USERS | OF_RESELLERS),
    Reason(name="no reseller", mark="ownqq", kinds=OF_USERS | OF_RESELLERS),
    Reason(name="other user", mark="peerqq", kinds=EVERYTHING, below_alone=True),
    Reason(name="soft-deleted", mark="leftqq", kinds=OF_USERS, deleted=True),
    Reason(name="soft-deleted, of a user", mark="clearedqq", kinds=OF_THINGS, deleted=True),
)


OF_BASIC = OF_ADMINS if DEEP else OF_ADMINS[:1]
"""HTTP Basic differs only in authentication, so `make test` runs a share of its cells."""


class Actor(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who calls the service."""

    name: str
    role: Role
    own: str
    """The mark of the estate it has access to."""
    reasons: tuple[Reason, ...]
    headers: Mapping[str, str] = {}
    is_holder: bool = False
    """Marks of its own objects only."""


OWNER = Actor(name="brand-admin, OAuth", role=Role.BRAND_ADMIN, own="ownqq", reasons=OF_ADMINS)
OPERATOR = Actor(name="brand-admin, Basic", role=Role.BRAND_ADMIN, own="ownqq", reasons=OF_BASIC)
RESELLER = Actor(name="reseller, OAuth", role=Role.RESELLER, own="clientqq", reasons=OF_RESELLER)
SYSTEM_OWNER = Actor(
    name="system-owner, Basic",
    role=Role.SYSTEM_OWNER,
    own="ownqq",
    reasons=OF_BASIC,
    headers={BRAND_HEADER: str(OWN_BRAND)},
)
ACTORS = (OWNER, RESELLER, OPERATOR, SYSTEM_OWNER)
BY_OAUTH = (OWNER, RESELLER)


def auth_of(actor: Actor, cast: Cast) -> httpx.Auth | tuple[str, str]:
    known: dict[str, httpx.Auth | tuple[str, str]] = {
        OWNER.name: SignedBy(cast.owner),
        RESELLER.name: SignedBy(cast.reseller),
        OPERATOR.name: cast.owner_operator,
        SYSTEM_OWNER.name: cast.system_owner,
    }
    return known[actor.name]


class World(msgspec.Struct, frozen=True):
    estates: dict[str, Estate]

    def own(self, actor: Actor) -> Refs:
        return self.estates[actor.own].refs

    def foreign(self, reason: Reason) -> Refs:
        return self.estates[reason.mark].refs

    @property
    def nonexistent(self) -> Refs:
        return MADE_UP.numbered | MADE_UP.texts | dict.fromkeys(OF_BRANDS, MADE_UP.numbered["user"])

    def hidden_from(self, actor: Actor, *, deleted: bool) -> tuple[set[str], set[int]]:
        """The marks and the refs that the actor must not see; `deleted`: including those of its own deleted objects."""
        others = [plan for plan in PLANS if not _is_of(plan, actor)]
        refs = {ref for plan in others for ref in plan.numbered.values()}
        for reason in actor.reasons if deleted else ():
            if reason.deleted:
                refs |= {ref for kind, ref in self.foreign(reason).items() if kind in reason.kinds and kind in NUMBERED}
        return {plan.mark for plan in others}, refs - {RESELLER_REF}


async def make_world(owner: OwnerConnection, resources: Resources) -> World:
    return World({plan.mark: await Builder(owner, resources, plan).build() for plan in PLANS})


def all_hosts() -> list[str]:
    return [plan.texts["host"] for plan in (*PLANS, MADE_UP)]


def _is_of(plan: Plan, actor: Actor) -> bool:
    if actor.is_holder:
        return plan.mark == actor.own
    return plan.brand_ref == OWN_BRAND and (actor.role is not Role.RESELLER or plan.reseller_ref is not None)
