"""Forms and queries with brackets in their names, parsed as PHP parses them."""

import contextlib
import time
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse, parse_nested_form, parse_nested_query
from sitewright.kit.validation.nesting import (
    LIST_AND_OBJECT,
    MAX_DEPTH,
    NOT_BALANCED,
    PLAIN_AND_NESTED,
    TOO_DEEP,
    TWICE,
    Unreadable,
)
from tests.kit.validation_support import Number, Pair, Tree, errors_of
from tests.support.fuzzing import fuzzed


def http_build_query(value: Any, prefix: str = "") -> list[str]:
    """As PHP serializes arrays: lists by index, objects by key, both in escaped brackets."""
    if isinstance(value, str):
        return [f"{quote_plus(prefix)}={quote_plus(value)}"]
    items = enumerate(value) if isinstance(value, list) else value.items()
    return [part for key, each in items for part in http_build_query(each, f"{prefix}[{key}]" if prefix else str(key))]


@pytest.mark.parametrize("parse_pairs", [parse_nested_form, parse_nested_query])
@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("a=1&b=", {"a": "1", "b": ""}),
        ("metadata[crm]=7", {"metadata": {"crm": "7"}}),
        ("metadata%5Bcrm%5D=7&metadata%5bid%5d=8", {"metadata": {"crm": "7", "id": "8"}}),
        (
            "metadata[0][name]=a&metadata[0][value]=b&metadata[1][name]=c",
            {"metadata": [{"name": "a", "value": "b"}, {"name": "c"}]},
        ),
        ("metadata[1][name]=b&metadata[0][name]=a", {"metadata": [{"name": "a"}, {"name": "b"}]}),
        ("tags[]=a&tags[]=a&tags[]=b", {"tags": ["a", "a", "b"]}),
        ("tags[1]=b&tags[0]=a&tags[]=c", {"tags": ["a", "b", "c"]}),
        ("tags[5]=a&tags[]=b", {"tags": {"5": "a", "6": "b"}}),
        ("tags[0]=a&tags[2]=b", {"tags": {"0": "a", "2": "b"}}),
        ("tags[01]=a", {"tags": {"01": "a"}}),
        ("a[x][]=1&a[x][]=2&a[y][z]=", {"a": {"x": ["1", "2"], "y": {"z": ""}}}),
        ("a[b+c]=1&a[d%20e]=2", {"a": {"b c": "1", "d e": "2"}}),
        ("a[x]=1&a[x]=1&b=2&b=2", {"a": {"x": "1"}, "b": "2"}),
        ("a=[1]", {"a": "[1]"}),
        ("[a]=1", {"": {"a": "1"}}),
    ],
)  # fmt: skip
def test_brackets_make_nested_values(parse_pairs: Any, sent: str, meant: dict[str, Any]) -> None:
    assert parse_pairs(sent.encode()) == meant


@pytest.mark.parametrize("parse_pairs", [parse_nested_form, parse_nested_query])
@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ("tags=a&tags=b", TWICE),
        ("tags[0]=a&tags[0]=b", TWICE),
        ("tags[]=a&tags[0]=b", TWICE),
        ("tags[x]=a&tags[x]=b", TWICE),
        ("tags=a&tags[]=b", PLAIN_AND_NESTED),
        ("tags[]=b&tags=a", PLAIN_AND_NESTED),
        ("tags[0]=a&tags[0][x]=b", PLAIN_AND_NESTED),
        ("tags[0][x]=a&tags[0]=b", PLAIN_AND_NESTED),
        ("tags[]=a&tags[x]=b", LIST_AND_OBJECT),
        ("tags[x]=a&tags[]=b", LIST_AND_OBJECT),
        ("tags[=a", NOT_BALANCED),
        ("tags]=a", NOT_BALANCED),
        ("tags[x=a", NOT_BALANCED),
        ("tags%5Bx=a", NOT_BALANCED),
        ("tags[x]]=a", NOT_BALANCED),
        ("tags[[x]]=a", NOT_BALANCED),
        ("tags[x]y=a", NOT_BALANCED),
        ("tags[x]y[z]=a", NOT_BALANCED),
        ("tags[0]=a&tags[=b", NOT_BALANCED),
        ("tags" + "[]" * MAX_DEPTH + "=a", TOO_DEEP),
        ("tags" + "[" * 100_000 + "=a", TOO_DEEP),
    ],
)
def test_malformed_known_fields_are_reported(parse_pairs: Any, sent: str, reason: str) -> None:
    values = parse_pairs(sent.encode() + b"&count=1")

    assert values["tags"] == Unreadable(reason)
    assert errors_of(Tree, values) == {"tags": {"invalidTags": reason}}
    assert parse(Number, values) == Number(1)


def test_a_missing_index_of_a_list_is_an_error() -> None:
    assert list(errors_of(Tree, parse_nested_form(b"tags[0]=a&tags[2]=b"))) == ["tags"]
    assert list(errors_of(Tree, parse_nested_form(b"metadata[1][name]=a"))) == ["metadata"]


def test_nested_fields_are_checked_like_those_of_json() -> None:
    sent = parse_nested_form(b"metadata[0][name]=a&metadata[0][value]=b&owner[name]=c&tags[]=d")
    assert parse(Tree, sent) == Tree(metadata=[Pair("a", "b")], owner=Pair("c"), tags=["d"])

    assert list(errors_of(Tree, parse_nested_form(b"metadata[0][value]=b&owner[name]=&tags[x]=d"))) == [
        "metadata[0].name", "owner.name", "tags",
    ]  # fmt: skip


def test_the_maximum_depth_is_the_same_as_in_json() -> None:
    value = parse_nested_form(b"a" + b"[]" * (MAX_DEPTH - 1) + b"=1")["a"]
    for _ in range(MAX_DEPTH - 2):
        [value] = value
    assert value == ["1"]


def test_a_thousand_bracketed_fields_are_read_and_one_more_is_invalid() -> None:
    fields = [b"a[%d]=%d" % (each, each) for each in range(1001)]
    assert parse_nested_form(b"&".join(fields[:1000])) == {"a": [str(each) for each in range(1000)]}
    with pytest.raises(Invalid, match="at most 1000 fields"):
        parse_nested_form(b"&".join(fields))


@pytest.mark.parametrize(
    "sent",
    [
        b"&".join(b"f%d" % each + b"[a]" * (MAX_DEPTH - 1) + b"=1" for each in range(1000)),
        b"&".join(b"a" + b"[%d]" % each * (MAX_DEPTH - 1) + b"=1" for each in range(1000)),
        b"a" + b"[" * 1_000_000 + b"=1",
        b"a" + b"[]" * 500_000 + b"=1",
        b"a" + b"]" * 1_000_000 + b"=1",
        b"a[" + b"x" * 1_000_000 + b"=1",
        b"&".join(b"a" + b"[x]" * 63 + b"x" * 800 for _ in range(1000)),
        b"&".join(b"a[%d]=x" % (each * 999_999) for each in range(1000)),
        b"&".join(b"a[]=" + b"[" * 1000 for _ in range(1000)),
    ],
    ids=["wide", "branching", "open", "deep", "closed", "long key", "trailing", "sparse", "values"],
)
def test_the_worst_forms_are_parsed_in_linear_time(sent: bytes) -> None:
    """Quadratic work on a mebibyte would take minutes; the limit is generous, for a busy machine."""
    started = time.process_time()
    parse_nested_form(sent)
    assert time.process_time() - started < 2


keys = st.text(st.characters(exclude_characters="[]", exclude_categories=["Cs"]), min_size=1, max_size=6)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
values = st.recursive(
    texts,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.dictionaries(keys.filter(lambda key: not key.isdigit()), inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


@fuzzed(200, share=0.2)
@given(value=st.dictionaries(keys, values, max_size=5), data=st.data())
def test_forms_written_by_php_are_parsed_in_any_order(value: dict[str, Any], data: st.DataObject) -> None:
    parts = data.draw(st.permutations(http_build_query(value)))

    assert parse_nested_form("&".join(parts).encode()) == value
    assert parse_nested_query("&".join(parts).replace("%5B", "[").replace("%5D", "]").encode()) == value


@fuzzed(200, share=0.2)
@given(sent=st.text(alphabet="ab[]=&%5BD0123", max_size=60).map(str.encode))
def test_any_names_are_parsed_or_unreadable(sent: bytes) -> None:
    with contextlib.suppress(Invalid):  # not UTF-8
        assert all(isinstance(value, str | list | dict | Unreadable) for value in parse_nested_form(sent).values())
