"""Where refs are found, and that none is skipped silently."""

from typing import Annotated

import msgspec
import pytest

from sitewright.app import ENDPOINTS, PUBLIC
from sitewright.kit.http import Call, endpoint
from sitewright.kit.http.about import about
from tests.isolation.requests import default_variant
from tests.isolation.slots import BRAND_HEADER, Route, UnknownKind, slots_of
from tests.isolation.world import ACTORS, EVERYTHING, Actor


class Wanted(msgspec.Struct, rename="camel"):
    """A body of the test."""

    page_ref: Annotated[int, about("A page.", 1)]
    cousin_ref: Annotated[int, about("Nobody knows what.", 1)]


def test_every_ref_of_every_route_is_of_a_known_kind() -> None:
    routes: list[Route] = [*ENDPOINTS, *PUBLIC]
    found = {slot.kind for route in routes for slot in slots_of(route)}
    assert found == EVERYTHING


@pytest.mark.parametrize("actor", ACTORS, ids=lambda actor: actor.name)
def test_there_is_a_reason_against_every_kind(actor: Actor) -> None:
    assert {kind for reason in actor.reasons for kind in reason.kinds} == EVERYTHING


def test_a_ref_of_an_unknown_kind_fails() -> None:
    async def nothing(call: Call, cousin_ref: int) -> None: ...

    with pytest.raises(UnknownKind, match="cousin_ref"):
        slots_of(endpoint("GET", "/cousins/{cousin_ref:int}")(nothing))
    with pytest.raises(UnknownKind, match="cousinRef"):
        slots_of(endpoint("POST", "/cousins", body=Wanted)(nothing))
    with pytest.raises(UnknownKind, match="cousinRef"):
        slots_of(endpoint("GET", "/cousins", query=Wanted)(nothing))


def test_refs_are_found_in_paths_queries_bodies_and_the_header() -> None:
    [route] = [each for each in ENDPOINTS if each.name == "PUT /sites/{site_ref:int}/widgets/{widget_ref:int}"]
    found = [(slot.place, slot.name, slot.kind, slot.below) for slot in default_variant(route).slots]
    assert found == [
        ("path", "site_ref", "site", False),
        ("path", "widget_ref", "widget", True),
        ("body", "pageRef", "page", True),
        ("header", BRAND_HEADER, "brand", False),
    ]
