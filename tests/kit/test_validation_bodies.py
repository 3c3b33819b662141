"""Parsing of JSON, forms and queries."""

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitewright.kit.problems import Invalid, MalformedJson
from sitewright.kit.validation import parse, parse_form, parse_json, parse_query
from tests.kit.validation_support import Flagged, Named, Ranged, errors_of
from tests.support.fuzzing import fuzzed


def nested(depth: int) -> bytes:
    """An object nested to `depth`, including itself."""
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_a_duplicate_top_level_key_is_malformed_and_reported() -> None:
    with pytest.raises(MalformedJson, match="'b' appears twice"):
        parse_json(b'{"a": 1, "b": 2, "c": {"b": 3}, "b": 2}')


def test_an_escaped_duplicate_key_is_found() -> None:
    with pytest.raises(MalformedJson, match="'a' appears twice"):
        parse_json(b'{"a": 1, "\\u0061": 2}')


def test_a_nested_duplicate_key_is_accepted_and_the_last_one_counts() -> None:
    assert parse_json(b'{"a": {"b": 1, "b": 2}, "c": [{"d": 1, "d": 3}]}') == {"a": {"b": 2}, "c": [{"d": 3}]}


def test_a_nested_duplicate_key_at_the_very_end_is_accepted_too() -> None:
    assert parse_json(b'{"x": 0, "a": {"b": 1, "b": 2}}') == {"x": 0, "a": {"b": 2}}


def test_the_same_key_on_different_levels_is_no_duplicate() -> None:
    assert parse_json(b'{"a": {"a": {"a": 1}}}') == {"a": {"a": {"a": 1}}}


def test_finding_a_duplicate_among_many_keys_is_quick() -> None:
    body = b"{" + b",".join(b'"k%d":0' % each for each in range(10_000)) + b',"k9999":1}'

    before = time.process_time()
    with pytest.raises(MalformedJson, match="'k9999' appears twice"):
        parse_json(body)

    assert time.process_time() - before < 0.5


def test_json_may_be_nested_64_deep() -> None:
    value = parse_json(nested(64))["a"]

    depth = 1
    while value:
        [value] = value
        depth += 1
    assert depth == 63


@pytest.mark.parametrize("depth", [65, 66, 1000, 100_000])
def test_json_nested_deeper_than_64_is_malformed(depth: int) -> None:
    with pytest.raises(MalformedJson):
        parse_json(nested(depth))


def test_objects_count_towards_the_depth_as_lists_do() -> None:
    objects = b'{"a":' * 63 + b"{}" + b"}" * 63
    assert parse_json(objects)

    with pytest.raises(MalformedJson):
        parse_json(b'{"a":' + objects + b"}")


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert parse_json(b'{"a": [' + b",".join([b"[{}]"] * 500) + b"]}") == {"a": [[{}]] * 500}


@pytest.mark.parametrize("text", ["[" * 100, "]" * 100, "{[" * 80, '"[' * 100, '\\"[' * 100, "\\[" * 100, "[\\"])
def test_brackets_inside_strings_do_not_count_as_depth(text: str) -> None:
    value = {"a": text, text: 1, "b": [[text]]}

    assert parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize("text", ["[" * 100, "]" * 100, '"' * 99, '\\"' * 99, "\\"])
def test_brackets_inside_strings_do_not_hide_depth(text: str) -> None:
    with pytest.raises(MalformedJson):
        parse_json(b'{"s":' + json.dumps(text).encode() + b"," + nested(65)[1:])


def test_an_unterminated_string_is_rejected_quickly() -> None:
    body = b'{"a":[' + b",".join([b"[]"] * 65) + b'],"b":"' + b'\\"' * 8000

    before = time.process_time()
    with pytest.raises(MalformedJson):
        parse_json(body)

    assert time.process_time() - before < 0.5


MANY = {"integers": b"0", "fractions": b"1.5", "objects": b"{}", "lists": b"[]", "texts": b'""', "members": b'{"a":1}'}


@pytest.mark.parametrize("item", MANY.values(), ids=MANY)
def test_more_than_twenty_thousand_values_are_rejected_quickly(item: bytes) -> None:
    number = (1024 * 1024 - 20) // (len(item) + 1)

    before = time.process_time()
    with pytest.raises(MalformedJson, match="20000 values"):
        parse_json(b'{"metadata":[' + b",".join([item] * number) + b"]}")

    assert time.process_time() - before < 0.5


def test_a_long_text_full_of_commas_and_brackets_is_one_value() -> None:
    text = ",[{" * 100_000

    assert parse_json(json.dumps({"css": text, "list": [0] * 19_000}).encode()) == {"css": text, "list": [0] * 19_000}


def test_unclosed_brackets_are_rejected_quickly() -> None:
    before = time.process_time()
    with pytest.raises(MalformedJson):
        parse_json(b"[" * 1024 * 1024)

    assert time.process_time() - before < 0.5


@pytest.mark.parametrize(
    "body",
    [b'{"a": "\xff"}', b'{"a": "\xe9"}', b'{"a": "\xed\xa0\x80"}', b'{"a": "\xc0\xaf"}', b'{"a": "\xf4\x90\x80\x80"}']
    + ['{"a": 1}'.encode(encoding) for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")],
)
def test_json_that_is_not_utf_8_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse_json(body)


def test_a_byte_order_mark_is_malformed() -> None:
    with pytest.raises(MalformedJson):
        parse_json(b'\xef\xbb\xbf{"a": 1}')


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("form", ['{"a": %s}', '{"a": [%s]}', '{"b": {"a": %s}}'])
def test_nan_and_infinity_are_malformed(constant: str, form: str) -> None:
    with pytest.raises(MalformedJson):
        parse_json((form % constant).encode())


@pytest.mark.parametrize("body", [b"[1]", b"[[]]", b'[{"a": 1}]', b"1", b'"a"', b"null", b"true"])
def test_the_top_level_must_be_an_object(body: bytes) -> None:
    with pytest.raises(MalformedJson, match="must be one JSON object"):
        parse_json(body)


@pytest.mark.parametrize("body", [b"", b" ", b"{", b"}", b"{}}", b"{} {}", b"{}\0", b"a=1", b'{"a": 1} // comment'])
def test_an_incomplete_value_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse_json(body)


@pytest.mark.parametrize("members", ["a: 1", "'a': 1", '"a" 1', "1: 1", '"a": 1,', '"a": tru', '"a": 01', '"a": +1'])
def test_members_in_another_syntax_are_malformed(members: str) -> None:
    with pytest.raises(MalformedJson):
        parse_json(f"{{{members}}}".encode())


@pytest.mark.parametrize("value", [".5", "1.", "0x1", '"\n"', '"\\x"', '"\\u12"', "'a'", "undefined"])
def test_values_in_another_syntax_are_malformed(value: str) -> None:
    with pytest.raises(MalformedJson):
        parse_json(f'{{"a": {value}}}'.encode())


@pytest.mark.parametrize("body", [b"[]", b" [ ]\n"])
def test_phps_empty_array_is_an_empty_object(body: bytes) -> None:
    assert parse_json(body) == {}


def test_malformed_json_has_its_own_code_and_no_field_errors() -> None:
    with pytest.raises(MalformedJson) as caught:
        parse_json(b"{")

    assert (caught.value.status, caught.value.code, caught.value.errors) == (400, "malformedJson", {})


short = st.text(max_size=5)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | short,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(short, inner, max_size=3),
    max_leaves=10,
)
json_bytes = st.builds(
    lambda value, escaped, indent: json.dumps(value, ensure_ascii=escaped, indent=indent).encode(),
    json_values,
    st.booleans(),
    st.sampled_from([None, 0, 2]),
)
json_pieces = st.lists(
    st.sampled_from([b"{", b"}", b"[", b"]", b":", b",", b'"', b'"a"', b'"b"', b"\\", b"\\u0061", b"1", b"-", b"."])
    | st.sampled_from([b"1e9", b"null", b"true", b"NaN", b"Infinity", b" ", b"\n", b"\0", b"\xff", b"\xc3\xa4"])
    | st.sampled_from([b"[" * 40, b"]" * 40, b'{"a":' * 40, b"}" * 40, b'{"a":1,"a":2}', b"9" * 5000]),
    max_size=25,
).map(b"".join)


@fuzzed(300, share=0.5)
@given(st.binary() | json_pieces | json_bytes | st.tuples(json_bytes, json_pieces).map(b"".join))
@example(nested(64))
@example(nested(65))
@example(b'{"a":1e999}')
def test_any_bytes_parse_as_json_does_or_are_malformed(body: bytes) -> None:
    with contextlib.suppress(MalformedJson):
        value = parse_json(body)
        assert type(value) is dict
        assert value == (json.loads(body) or {})


@fuzzed(100, share=0.1)
@given(
    value=st.dictionaries(short, json_values, max_size=5), escaped=st.booleans(), indent=st.sampled_from([None, 0, 2])
)
def test_every_valid_object_is_parsed_completely(value: dict[str, Any], escaped: bool, indent: int) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=escaped, indent=indent).encode()) == value


@pytest.mark.parametrize("parse_pairs", [parse_form, parse_query])
class TestFormsAndQueries:
    def test_fields_are_percent_decoded_with_plus_as_space(self, parse_pairs: Any) -> None:
        assert parse_pairs(b"name=J%C3%BCrgen+M&mail=a%2Bb%40c&%61=%3D%26") == {
            "name": "Jürgen M",
            "mail": "a+b@c",
            "a": "=&",
        }

    def test_empty_input_has_no_fields(self, parse_pairs: Any) -> None:
        assert parse_pairs(b"") == {}

    def test_an_empty_value_is_kept_and_not_dropped(self, parse_pairs: Any) -> None:
        assert parse_pairs(b"a=&b&c=1") == {"a": "", "b": "", "c": "1"}

    @pytest.mark.parametrize("sent", [b"a=%FF", b"a=%ED%A0%80", b"%C0%AF=1", b"a=\xc3\xa4", b"a=\xff"])
    def test_invalid_percent_encoded_utf_8_is_rejected(self, parse_pairs: Any, sent: bytes) -> None:
        with pytest.raises(Invalid, match="percent-encoded UTF-8"):
            parse_pairs(sent)

    def test_a_thousand_fields_are_read_and_one_more_is_invalid(self, parse_pairs: Any) -> None:
        fields = [b"k%d=%d" % (each, each) for each in range(1001)]
        assert len(parse_pairs(b"&".join(fields[:1000]))) == 1000

        for many in (b"&".join(fields), b"a&" * 500_000):
            with pytest.raises(Invalid, match="at most 1000 fields"):
                parse_pairs(many)

    def test_its_integers_and_flags_come_as_digits(self, parse_pairs: Any) -> None:
        assert parse(Ranged, parse_pairs(b"limit=10")).limit == 10
        assert parse(Flagged, parse_pairs(b"live=1")).live is True

    @pytest.mark.parametrize("sent", [b"limit=", b"limit=+1", b"limit=1.0", b"limit=%D9%A1", b"limit"])
    def test_nothing_but_digits_is_an_integer(self, parse_pairs: Any, sent: bytes) -> None:
        assert list(errors_of(Ranged, parse_pairs(sent))) == ["limit"]

    def test_nul_is_no_text_there_either(self, parse_pairs: Any) -> None:
        assert list(errors_of(Named, parse_pairs(b"name=a%00"))) == ["name"]

    @fuzzed(100, share=0.4)
    @given(sent=st.binary() | st.text(alphabet="ab=&%+;0123456789ACEF\xff").map(lambda text: text.encode("latin-1")))
    def test_any_bytes_are_read_or_invalid(self, parse_pairs: Any, sent: bytes) -> None:
        with contextlib.suppress(Invalid):
            assert all(isinstance(value, str) for value in parse_pairs(sent).values())
