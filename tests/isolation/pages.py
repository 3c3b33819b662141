"""An account holder in a browser, who requests pages as others call the API."""

from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec

from sitewright.kit.auth.caller import Role
from sitewright.kit.http.public import PublicRoute
from tests.isolation.callers import Caller
from tests.isolation.requests import Request, RequestVariant, default_variant
from tests.isolation.stage import Stage
from tests.isolation.world import EVERYTHING, OF_USERS, OTHER_BRANDS, OWNER, Actor, Reason
from tests.support import contract
from tests.support.browsing import hidden, log_in

HOLDER = Actor(
    name="account holder",
    role=Role.BRAND_ADMIN,  # there is no role for account holders; pages need none
    own="ownqq",
    is_holder=True,
    reasons=(
        *OTHER_BRANDS,
        Reason(name="other user", mark="siblingqq", kinds=EVERYTHING),
        Reason(name="other reseller's user", mark="rivalqq", kinds=OF_USERS),
        Reason(name="soft-deleted, of a user", mark="emptiedqq", kinds=OF_USERS),
    ),
)


class Holder(Caller):
    """Sends forms, each with the token of the session's pages."""

    token = ""

    @classmethod
    async def logged_in(cls, stage: Stage) -> Self:
        client = httpx.AsyncClient(transport=stage.transport, base_url="http://127.0.0.1", event_hooks=contract.HOOKS)
        holder = cls(HOLDER, client, stage.world)
        assert (await log_in(client, username=HOLDER.own, brandRef="1")).status_code == 303
        holder.token = hidden(await client.get("/account"), "token")
        client.headers["X-Form-Token"] = holder.token  # for the calls of the editor
        return holder

    async def _send_body(self, request: Request, headers: dict[str, str], body: dict[str, Any]) -> httpx.Response:
        form = {name: str(value) for name, value in (body | {"token": self.token}).items()}
        return await self.client.request(request.method, request.path, headers=headers, data=form)


async def variant_of_page(route: PublicRoute, stage: Stage) -> RequestVariant:
    """A report's link is valid for the holder's brand's own report only."""
    variant = default_variant(route)
    if "signature" not in variant.query:
        return variant
    [owner] = stage.of(OWNER)
    response = await owner.client.get(f"/user-reports/{stage.world.own(OWNER)['job']}")
    link = {name: value for name, [value] in parse_qs(urlsplit(response.json()["report"]).query).items()}
    return msgspec.structs.replace(variant, query=link)
