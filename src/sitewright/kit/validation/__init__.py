"""Request validation: parses bytes into typed values, or raises one problem that names every invalid field."""

from sitewright.kit.validation.bodies import parse_form, parse_json, parse_nested_form, parse_nested_query, parse_query
from sitewright.kit.validation.fields import (
    MAX_INT4,
    MAX_REF,
    MAX_TEXT,
    AcceptsNumbers,
    Pairs,
    Ref,
    Text,
    field_code,
    parse,
    parse_ref,
    read_fields,
)

__all__ = [
    "MAX_INT4",
    "MAX_REF",
    "MAX_TEXT",
    "AcceptsNumbers",
    "Pairs",
    "Ref",
    "Text",
    "field_code",
    "parse",
    "parse_form",
    "parse_json",
    "parse_nested_form",
    "parse_nested_query",
    "parse_query",
    "parse_ref",
    "read_fields",
]
