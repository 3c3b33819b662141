"""Conversion of plain values to typed requests, and problems that report every invalid field."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitewright.kit.problems import Invalid, MalformedJson
from sitewright.kit.validation import parse, parse_json
from sitewright.kit.validation.fields import GAPS, NEST_IT
from tests.kit.validation_support import (
    MAX_REF,
    Everything,
    Flagged,
    Named,
    Number,
    Pair,
    Ranged,
    Referring,
    Tree,
    errors_of,
    problem_of,
)


@pytest.mark.parametrize(("sent", "meant"), [(b"1", 1), (b'"1"', 1), (b"0", 0), (b"-5", -5), (b'"007"', 7), (b"-0", 0)])
def test_an_integer_may_be_a_number_or_a_string_of_digits(sent: bytes, meant: int) -> None:
    count = parse(Number, parse_json(b'{"count": ' + sent + b"}")).count

    assert (type(count), count) == (int, meant)


@pytest.mark.parametrize("sent", ["1.0", "1e3", "1E3", "1.5", "true", "false", "null", "[]", "[1]", "{}"])
def test_no_other_value_is_an_integer(sent: str) -> None:
    assert errors_of(Number, parse_json(f'{{"count": {sent}}}'.encode())) == {
        "count": {"invalidCount": "must be an integer"}
    }


@pytest.mark.parametrize(
    "sent", ["", " ", "+1", "-1", "1_0", " 1", "1 ", "1\n", "1.0", "1e3", "0x1", "one", "true", "\0", "1\0"]
)
def test_no_string_but_one_of_digits_alone_is_an_integer(sent: str) -> None:
    assert errors_of(Number, {"count": sent}) == {"count": {"invalidCount": "must be an integer"}}


@pytest.mark.parametrize("sent", ["\u0661", "\u0967", "\uff11", "\u00b2", "\u2460", "1\u0662"])
def test_digits_of_other_alphabets_are_no_integer(sent: str) -> None:
    assert errors_of(Number, {"count": sent}) == {"count": {"invalidCount": "must be an integer"}}


@pytest.mark.parametrize("sent", [1, "1", 1000, "1000"])
def test_an_integer_may_be_at_the_limit_of_its_range(sent: int | str) -> None:
    assert parse(Ranged, {"limit": sent}).limit == int(sent)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (0, "must be at least 1"),
        ("0", "must be at least 1"),
        (-1, "must be at least 1"),
        (1001, "must be at most 1000"),
        ("1001", "must be at most 1000"),
        (10**30, "must be at most 1000"),
    ],
)
def test_an_integer_outside_its_range_is_reported_with_the_limit(sent: int | str, message: str) -> None:
    assert errors_of(Ranged, {"limit": sent}) == {"limit": {"invalidLimit": message}}


@pytest.mark.parametrize("sent", [1, "1", MAX_REF, str(MAX_REF)])
def test_a_ref_runs_from_1_to_the_largest_the_database_holds(sent: int | str) -> None:
    assert parse(Referring, {"packageRef": sent}).package_ref == int(sent)


@pytest.mark.parametrize(
    "sent", [0, "0", -1, MAX_REF + 1, str(MAX_REF + 1), 10**19, "9" * 19, "9" * 20, 10**30, "9" * 400]
)
def test_a_ref_outside_that_range_is_rejected(sent: int | str) -> None:
    assert list(errors_of(Referring, {"packageRef": sent})["packageRef"]) == ["invalidPackageRef"]


@pytest.mark.parametrize("sent", [MAX_REF + 1, str(MAX_REF + 1), -MAX_REF - 2, 10**30])
def test_an_integer_without_limits_of_its_own_still_fits_the_database(sent: int | str) -> None:
    assert list(errors_of(Number, {"count": sent})) == ["count"]


def test_an_integer_too_long_for_python_to_read_is_malformed_and_not_an_error() -> None:
    with pytest.raises(MalformedJson):
        parse_json(b'{"count": ' + b"9" * 5000 + b"}")


def test_an_integer_string_too_long_for_python_to_read_is_rejected_like_any_other() -> None:
    assert list(errors_of(Number, {"count": "9" * 5000})) == ["count"]


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("0", False), ("1", True), ('"0"', False), ('"1"', True), ("true", True), ("false", False),
        ('"true"', True), ('"false"', False), ('"TRUE"', True), ('"False"', False), ('"tRuE"', True),
    ],
)  # fmt: skip
def test_a_flag_may_be_0_1_or_a_boolean_also_as_text(sent: str, meant: bool) -> None:
    assert parse(Flagged, parse_json(f'{{"live": {sent}}}'.encode())).live is meant


@pytest.mark.parametrize(
    "sent", [2, -1, 0.0, 1.0, None, [], {}, "", "t", "yes", "on", "01", " 1", "true ", "fal\u017fe", "\u0661"]
)
def test_nothing_else_is_a_flag(sent: object) -> None:
    assert errors_of(Flagged, {"live": sent}) == {"live": {"invalidLive": "must be 0, 1, true or false"}}


@pytest.mark.parametrize("sent", ["a\0b", "\0", "\ud800", "a\udc00", "\udc00\ud800", "\ud83dx\ude00"])
def test_text_contains_neither_nul_nor_unpaired_surrogates(sent: str) -> None:
    assert errors_of(Pair, parse_json(json.dumps({"name": sent}).encode())) == {
        "name": {"invalidName": "must not hold NUL or unpaired surrogates"}
    }


def test_a_pair_of_escaped_surrogates_is_one_character() -> None:
    assert parse(Named, parse_json(b'{"name": "\\ud83d\\ude00"}')).name == "😀"


@pytest.mark.parametrize("sent", ["a", "abc", "äöü", "😀😀😀", "🂡𐍈🏁", "   ", "\n\t\r", "e\u0301a"])
def test_lengths_count_characters_also_those_outside_the_basic_plane(sent: str) -> None:
    assert parse(Named, {"name": sent}).name == sent


@pytest.mark.parametrize("sent", ["abcd", "äöüß", "😀😀😀😀", "    ", " abc", "e\u0301ab"])
def test_a_character_too_many_is_rejected_without_trimming(sent: str) -> None:
    assert errors_of(Named, {"name": sent}) == {"name": {"invalidName": "must hold at most 3 characters"}}


def test_a_character_too_few_is_rejected() -> None:
    assert errors_of(Named, {"name": ""}) == {"name": {"invalidName": "must hold at least 1 character"}}


@pytest.mark.parametrize("sent", [1, 1.5, True, None, [], ["a"], {}])
def test_nothing_but_a_string_is_text(sent: object) -> None:
    assert errors_of(Named, {"name": sent}) == {"name": {"invalidName": "must be text"}}


@pytest.mark.parametrize("sent", ["owner", "Admin", "", 1, None, ["admin"], {"admin": 1}])
def test_the_allowed_choices_are_reported(sent: object) -> None:
    errors = errors_of(Everything, {"userRef": 1, "username": "a", "role": sent})

    assert errors == {"role": {"invalidRole": "must be one of admin, guest"}}


def test_unknown_fields_are_ignored() -> None:
    assert parse(Number, {"count": 1, "counter": object(), "Count": "x", "": None, "\0\ud800": 1}) == Number(1)


def test_unknown_fields_are_ignored_in_nested_objects_too() -> None:
    assert parse(Tree, {"owner": {"name": "a", "age": 1}}) == Tree(owner=Pair("a"))


def test_omitted_fields_have_their_defaults() -> None:
    assert parse(Everything, {"userRef": "7", "username": "a", "role": "guest"}) == Everything(7, "a", "guest")


def test_a_missing_required_field_is_reported() -> None:
    assert errors_of(Referring, {}) == {"packageRef": {"invalidPackageRef": "is required"}}


def test_null_is_accepted_for_nullable_fields() -> None:
    assert parse(Tree, {"owner": None}).owner is None


def test_null_is_rejected_for_optional_fields() -> None:
    assert errors_of(Tree, {"metadata": None}) == {"metadata": {"invalidMetadata": "must be a list"}}


def test_every_invalid_field_is_reported() -> None:
    sent = {"userRef": 0, "username": "", "role": "king", "beta": 2, "limit": "ten", "resellerRef": 1.0}

    assert errors_of(Everything, sent) == {
        "userRef": {"invalidUserRef": "must be at least 1"},
        "username": {"invalidUsername": "must hold at least 1 character"},
        "role": {"invalidRole": "must be one of admin, guest"},
        "beta": {"invalidBeta": "must be 0, 1, true or false"},
        "limit": {"invalidLimit": "must be an integer"},
        "resellerRef": {"invalidResellerRef": "must be an integer"},
    }


def test_fields_inside_a_list_are_reported_with_their_index() -> None:
    sent = {"metadata": [{"name": "a"}, {"name": ""}, {"value": "b"}, {"name": "c", "value": 1}]}

    assert errors_of(Tree, sent) == {
        "metadata[1].name": {"invalidName": "must hold at least 1 character"},
        "metadata[2].name": {"invalidName": "is required"},
        "metadata[3].value": {"invalidValue": "must be text"},
    }


def test_fields_inside_an_object_are_reported_with_its_name() -> None:
    assert errors_of(Tree, {"owner": {"name": 5}}) == {"owner.name": {"invalidName": "must be text"}}


def test_items_of_a_list_are_reported_with_their_index() -> None:
    assert errors_of(Tree, {"tags": ["a", 1, "b", None]}) == {
        "tags[1]": {"invalidTags": "must be text"},
        "tags[3]": {"invalidTags": "must be text"},
    }


def test_an_item_that_should_be_an_object_is_reported_with_its_index() -> None:
    assert errors_of(Tree, {"metadata": [{"name": "a"}, "b"]}) == {
        "metadata[1]": {"invalidMetadata": "must be an object"}
    }


@pytest.mark.parametrize("sent", ["a", 1, {}, {"a": {"name": "a"}}, None, True, '[{"name": "a"}]'])
def test_another_value_in_place_of_a_list_is_reported(sent: object) -> None:
    assert errors_of(Tree, {"metadata": sent}) == {"metadata": {"invalidMetadata": "must be a list"}}


@pytest.mark.parametrize("sent", ["a", 1, [["name", "a"]], [{}], True, '{"name": "a"}'])
def test_another_value_in_place_of_an_object_is_reported(sent: object) -> None:
    assert errors_of(Tree, {"owner": sent}) == {"owner": {"invalidOwner": "must be an object"}}


def test_an_empty_list_is_an_empty_object_where_an_object_is_expected() -> None:
    assert errors_of(Tree, {"owner": []}) == {"owner.name": {"invalidName": "is required"}}


@pytest.mark.parametrize("sent", [{"0": {"name": "a"}, "2": {"name": "b"}}, {"7": {"name": "a"}}, {"1": "a"}])
def test_a_list_with_missing_indexes_is_reported_as_such(sent: object) -> None:
    assert errors_of(Tree, {"metadata": sent}) == {"metadata": {"invalidMetadata": GAPS}}


@pytest.mark.parametrize("name", ["owner[name]", "owner[]", "owner[", "owner]", "owner[0][name]"])
def test_a_known_field_with_brackets_in_its_json_name_is_not_ignored(name: str) -> None:
    assert errors_of(Tree, {name: "a"}) == {"owner": {"invalidOwner": NEST_IT}}
    assert errors_of(Tree, {name: "a", "owner": {"name": "a"}}) == {"owner": {"invalidOwner": NEST_IT}}
    assert parse(Number, {name: "a", "count": 1}) == Number(1)


def test_a_nested_field_with_brackets_in_its_json_name_is_not_ignored() -> None:
    assert errors_of(Tree, {"owner": {"name": "a", "value[0]": "b"}}) == {"owner.value": {"invalidValue": NEST_IT}}


def test_one_invalid_field_determines_code_and_message_of_the_problem() -> None:
    problem = problem_of(Everything, {"userRef": 1, "username": "a", "role": "guest", "resellerRef": 0})

    assert (problem.status, problem.code) == (400, "invalidResellerRef")
    assert problem.detail == "resellerRef: must be at least 1"


def test_one_invalid_nested_field_determines_the_code() -> None:
    assert problem_of(Tree, {"metadata": [{"name": ""}]}).code == "invalidName"


def test_several_invalid_fields_are_an_invalid_request() -> None:
    problem = problem_of(Everything, {"userRef": 1, "username": "", "role": "king"})

    assert (problem.status, problem.code, len(problem.errors)) == (400, "invalidRequest", 2)
    assert problem.detail == "username, role: not valid; `errors` says what is wrong with each."


@given(names=st.lists(st.text("abcdefgh.[]0", min_size=1, max_size=60), min_size=2, max_size=130, unique=True))
def test_the_message_of_several_begins_with_their_names(names: list[str]) -> None:
    detail = Invalid.fields({name: {"invalidField": "is required"} for name in names}).detail

    listed = detail.partition(": not valid")[0].partition(" and ")[0].split(", ")
    assert listed == names[: len(listed)]
    assert listed[0] in detail[:120]
    assert len(listed) > 1 or len(names[0]) + len(names[1]) > 80
    assert len(detail) < 220


def test_the_same_field_invalid_in_two_places_is_an_invalid_request() -> None:
    assert problem_of(Tree, {"metadata": [{"name": ""}, {"name": ""}]}).code == "invalidRequest"


MISSING = object()
RIGHT: dict[str, list[Any]] = {
    "userRef": [1, "1", MAX_REF],
    "username": ["a", "😀" * 20, "x y"],
    "role": ["admin", "guest"],
    "beta": [0, "1", True, MISSING],
    "limit": [1, "1000", MISSING],
    "resellerRef": [None, 5, MISSING],
    "owner": [None, {"name": "a"}, {"name": "a", "other": 1}, MISSING],
    "metadata": [[], [{"name": "a"}], MISSING],
    "anything": [None, 1, {"a": []}, MISSING],
}
WRONG: dict[str, list[tuple[Any, set[str]]]] = {
    "userRef": [(value, {"userRef"}) for value in (MISSING, None, 0, "", 1.0, True, MAX_REF + 1, [])],
    "username": [(value, {"username"}) for value in (MISSING, None, "", "😀" * 21, "\0", "\ud800", 1)],
    "role": [(value, {"role"}) for value in (MISSING, None, "", "ADMIN", 0, {})],
    "beta": [(value, {"beta"}) for value in (None, 2, "yes", 1.0, "")],
    "limit": [(value, {"limit"}) for value in (None, 0, 1001, "1e2", "٣")],
    "resellerRef": [(value, {"resellerRef"}) for value in (0, "x", False, "")],
    "owner": [
        ([1], {"owner"}),
        ([], {"owner.name"}),
        ({}, {"owner.name"}),
        ({"name": "", "value": None}, {"owner.name", "owner.value"}),
    ],
    "metadata": [
        ({}, {"metadata"}),
        (None, {"metadata"}),
        ([{"name": "a"}, None], {"metadata[1]"}),
        ([{}, {"name": "a"}], {"metadata[0].name"}),
        ([{"name": "a"}, {"name": "b" * 11, "value": 2}], {"metadata[1].name", "metadata[1].value"}),
    ],
}


@st.composite
def mixtures(draw: st.DrawFn) -> tuple[dict[str, Any], set[str]]:
    """Values for `Everything`, some valid and some not, and the paths of the invalid ones."""
    sent, failing = {}, set()
    for name in draw(st.permutations(sorted(RIGHT))):
        if name in WRONG and draw(st.booleans()):
            value, places = draw(st.sampled_from(WRONG[name]))
            failing |= places
        else:
            value = draw(st.sampled_from(RIGHT[name]))
        if value is not MISSING:
            sent[name] = value
    return sent, failing


def code_for(place: str) -> str:
    name = place.rpartition(".")[2].partition("[")[0]
    return f"invalid{name[0].upper()}{name[1:]}"


@settings(max_examples=200, deadline=None)
@given(mixtures())
def test_any_mixture_of_invalid_fields_is_reported_exactly(mixture: tuple[dict[str, Any], set[str]]) -> None:
    sent, failing = mixture
    try:
        parse(Everything, sent)
        named: dict[str, list[str]] = {}
        code = None
    except Invalid as problem:
        named = {place: list(failures) for place, failures in problem.errors.items()}
        code = problem.code

    assert named == {place: [code_for(place)] for place in failing}
    assert code == {0: None, 1: next((code_for(place) for place in failing), None)}.get(len(failing), "invalidRequest")


# --- Many of them ------------------------------------------------------------------------------------------------


def test_a_list_that_is_too_long_is_one_error_and_its_items_are_not_validated() -> None:
    assert errors_of(Tree, {"metadata": [0] * 500_000}) == {
        "metadata": {"invalidMetadata": "must hold at most 1000 items"}
    }
    assert len(parse(Tree, {"tags": ["a"] * 1000}).tags) == 1000


def test_at_most_a_hundred_invalid_fields_are_reported() -> None:
    with pytest.raises(Invalid) as caught:
        parse(Tree, {"metadata": [0] * 1000})
    problem = caught.value
    assert list(problem.errors) == [f"metadata[{index}]" for index in range(100)]
    assert (problem.code, problem.detail) == (
        "invalidRequest",
        "metadata[0], metadata[1], metadata[2], metadata[3], metadata[4], metadata[5] and at least 95 more: not valid;"
        " `errors` names the first 100 of them.",
    )
    assert len(errors_of(Tree, {"metadata": [0] * 100})) == 100
    with pytest.raises(Invalid, match="and 94 more: not valid; `errors` says what is wrong with each"):
        parse(Tree, {"metadata": [0] * 100})
