"""Any JSON, form or query is accepted by an endpoint's types, or rejected with the names of the failing fields."""

import json
from typing import Any
from urllib.parse import urlencode

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sitewright.app import ENDPOINTS
from sitewright.kit.problems import Invalid, MalformedJson
from sitewright.kit.validation import parse, parse_form, parse_json, parse_query
from tests.support.fuzzing import fuzzed

Sent = tuple[type[msgspec.Struct], dict[str, Any]]
SHAPES = {shape for each in ENDPOINTS for shape in (each.body, each.query) if shape is not None}
TAKEN = sorted(SHAPES, key=lambda shape: shape.__name__)
ODD = ["", "0", "1", "true", "9" * 19, "9" * 20, "-1", "1.0", "\0", "\ud800", "١"]
TEXTS = st.text(max_size=12) | st.sampled_from(ODD)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.sampled_from([2**63, -(2**63), 1e300])


def named(shape: type[msgspec.Struct]) -> list[str]:
    """The fields of a type, and of the lists it contains."""
    return [*shape.__struct_encode_fields__, "name", "value", "ref"]


def sent_to(shape: type[msgspec.Struct]) -> st.SearchStrategy[Sent]:
    names = st.sampled_from(named(shape)) | TEXTS
    lists, objects = st.lists(LEAVES, max_size=3), st.dictionaries(names, LEAVES, max_size=3)
    values = LEAVES | lists | objects | st.lists(objects, max_size=2) | st.dictionaries(names, lists, max_size=2)
    return st.tuples(st.just(shape), st.dictionaries(names, values, max_size=6))


SENT = st.one_of([sent_to(shape) for shape in TAKEN])


@fuzzed(300, share=0.2)
@given(SENT)
def test_any_values_are_taken_or_named(sent: Sent) -> None:
    shape, given_values = sent
    try:
        taken = parse(shape, given_values)
    except Invalid as invalid:
        assert invalid.errors
        assert {place.partition(".")[0].partition("[")[0] for place in invalid.errors} <= set(named(shape))
    else:
        assert parse(shape, json.loads(msgspec.json.encode(taken))) == taken


@fuzzed(200, share=0.2)
@given(SENT)
def test_any_values_come_through_json_as_they_are(sent: Sent) -> None:
    _, given_values = sent
    body = json.dumps(given_values)
    try:
        read = parse_json(body.encode())
    except MalformedJson:
        assert "NaN" in body or "Infinity" in body
    else:
        assert read == given_values


@fuzzed(200, share=0.2)
@given(st.dictionaries(TEXTS.filter(str.isprintable), TEXTS.filter(str.isprintable), max_size=5))
def test_any_fields_come_through_forms_and_queries_as_they_are(fields: dict[str, str]) -> None:
    encoded = urlencode(fields).encode()
    assert parse_form(encoded) == parse_query(encoded) == fields
