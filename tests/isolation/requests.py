"""Requests that would be valid if every ref in them were the caller's own: fields are filled with their examples."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_type_hints
from urllib.parse import quote

import msgspec

from sitewright.kit.http import Endpoint
from sitewright.sites.media.pictures.service import Format
from tests.isolation.slots import Route, Slot, body_of, slots_of
from tests.isolation.world import all_hosts
from tests.support.certificates import certificate_for
from tests.support.pictures import picture

REACH_DELETED = {
    "POST /users/{user_ref:int}/anonymise",
    "POST /sites/{site_ref:int}/restore",
    "POST /sites/{site_ref:int}/hard-delete",
    "POST /sites/{site_ref:int}/undelete",
    "GET /sites/{site_ref:int}/erasure",
    "GET /brands/{brand_ref:int}/drift",
}
"""Calls that also apply to deleted objects; among drift are mailboxes that a deleted domain has left behind."""
BODIES: dict[str, dict[str, Any]] = {
    "PUT /users/{user_ref:int}": {"firstName": "Bea"},
    "PUT /brands/{brand_ref:int}/settings": {"helpURL": "https://taken.example/"},
    "POST /brands/{brand_ref:int}/test-clock/advance": {"by": "P1D"},
    "PUT /brands/{brand_ref:int}/accounts/{external_id:str}": {
        "accountHolder": {
            "firstName": "Joe",
            "lastName": "Baker",
            "username": "joe",
            "email": "joe@mail.example",
            "password": "fresh bread daily",
            "languageCode": "en",
        },
    },
    "POST /users/{user_ref:int}/suspend": {"reason": "Unpaid"},
    "PUT /resellers/{reseller_ref:int}": {"displayName": "Taken over"},
    "PUT /resellers/{reseller_ref:int}/prices/{price_ref:int}": {"price": 1, "offerPrice": 1},
    "POST /sites": {"domain": "www.new.example"},
    "PUT /sites/{site_ref:int}": {"protocol": "https"},
    "PUT /sites/{site_ref:int}/pages/{page_ref:int}": {"title": "Taken over"},
    "PUT /sites/{site_ref:int}/media/{media_ref:int}": {"alt": "Taken over"},
    "PUT /sites/{site_ref:int}/widgets/{widget_ref:int}": {"values": {"content": "Taken over"}},
    "PUT /sites/{site_ref:int}/static-values/{static_widget_id:str}": {"name": "visible", "value": "0"},
    "POST /account/sites/{site_ref:int}/details": {"business": "Taken over"},
}
"""Bodies where no field is required, or more than the required ones are needed."""
AT_LEAST_ONE = {
    ("POST /users/{user_ref:int}/account-domains", "packageRef"),
    ("POST /users/forgotten-password", "username"),
    ("POST /sites/{site_ref:int}/redirects", "pageRef"),
}
"""Optional slots that are filled, since one of several is required."""
INSTEAD = {"domainProductRef": "packageRef"}
"""Fields that replace another."""
PICTURE = picture(Format.PNG, 1, 1)
BRINGING_BACK = {"deleted": 0}
LONGEST_PAGE = {"limit": 1000}


class RequestVariant(msgspec.Struct, frozen=True, kw_only=True):
    """One variant of a call to a route: everything in its requests except refs."""

    route: Route
    query: Mapping[str, Any] = {}
    body: Mapping[str, Any] = {}
    reaches_deleted: bool = False

    @property
    def name(self) -> str:
        more = {**self.query, **(BRINGING_BACK if self.body == BRINGING_BACK else {})}
        return f"{self.route.name}{more or ''}"

    @property
    def may_succeed(self) -> bool:
        """Whether a success does not mean that anything was found: filters may match nothing."""
        return self.route.method == "GET" or self.reveals_nothing

    @property
    def reveals_nothing(self) -> bool:
        """A forgotten password returns the same response for every user."""
        return self.route.path == "/users/forgotten-password"

    @property
    def slots(self) -> list[Slot]:
        return slots_of(self.route)

    @property
    def always(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.required or (self.route.name, slot.name) in AT_LEAST_ONE]


class Request(msgspec.Struct, frozen=True):
    method: str
    path: str
    query: dict[str, Any]
    body: dict[str, Any] | None
    headers: dict[str, str]
    file: bytes | None = None
    """Sent as a form, instead of a body."""


def variants_of(endpoint: Endpoint) -> list[RequestVariant]:
    """As declared, and with variants that include or restore deleted objects, if the route has them."""
    fields = set() if endpoint.query is None else {each.encode_name for each in msgspec.structs.fields(endpoint.query)}
    usual = default_variant(endpoint)
    usual = msgspec.structs.replace(usual, query={**usual.query, **(LONGEST_PAGE if "limit" in fields else {})})
    asking = [{**usual.query, flag: 1} for flag in ("showDeleted", "deleted") if flag in fields]
    variants = [usual, *(msgspec.structs.replace(usual, query=query, reaches_deleted=True) for query in asking)]
    if endpoint.name == "PUT /users/{user_ref:int}":
        variants.append(msgspec.structs.replace(usual, body=BRINGING_BACK, reaches_deleted=True))
    return variants


def default_variant(route: Route) -> RequestVariant:
    body = _examples(body_of(route)) | BODIES.get(route.name, {})
    if {"key", "cert"} <= body.keys():
        body |= _certificate()
    return RequestVariant(
        route=route, query=_examples(route.query), body=body, reaches_deleted=route.name in REACH_DELETED
    )


def request_for(variant: RequestVariant, refs: Mapping[Slot, Any]) -> Request:
    """With these refs in these slots."""
    path, query, body, headers = variant.route.path, dict(variant.query), dict(variant.body), {"X-Request-Id": "same"}
    for slot, ref in refs.items():
        if slot.place == "path":
            path = re.sub(rf"\{{{slot.name}:\w+\}}", quote(str(ref), safe=""), path)
        elif slot.place == "header":
            headers[slot.name] = str(ref)
        else:
            into = query if slot.place == "query" else body
            into.pop(INSTEAD.get(slot.name, ""), None)
            into[slot.name] = ref
    path = re.sub(r"\{\w+:str\}", "made-by-naming", path)
    assert "{" not in path, f"{variant.route.name} has a ref that is not filled: {path}"
    file = PICTURE if isinstance(variant.route, Endpoint) and variant.route.upload is not None else None
    return Request(variant.route.method, path, query, None if body_of(variant.route) is None else body, headers, file)


@cache
def _certificate() -> dict[str, Any]:
    """Valid for every target, so that no request is refused because of its names."""
    issued = certificate_for(*all_hosts())
    return {"key": issued.key, "cert": issued.chain}


def _examples(struct: type[msgspec.Struct] | None) -> dict[str, Any]:
    """Of the required fields."""
    if struct is None:
        return {}
    hints = get_type_hints(struct, include_extras=True)
    required = [field for field in msgspec.structs.fields(struct) if field.required]
    return {field.encode_name: _example(hints[field.name]) for field in required}


def _example(hint: Any) -> Any:
    for part in (hint, *get_args(hint)):
        for each in getattr(part, "__metadata__", ()):
            if isinstance(each, msgspec.Meta) and each.examples:
                return each.examples[0]
    raise LookupError(f"{hint} has no example")
