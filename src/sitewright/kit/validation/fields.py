"""Converts plain values to a msgspec struct, field by field, so that every invalid field is reported.

The rules are those of the API, not of msgspec: an integer may come as a string of ASCII digits but never as
`1.0` or `true`; an amount of money may come as a number or as a string, with at most two decimals; a flag may come as
0, 1, true or false, also as text and then in any letter case; an empty list is also an empty object, since PHP
serializes both alike; text contains neither NUL nor unpaired surrogates. Unknown fields are ignored, but known fields
with malformed brackets are reported.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import inspect

from sitewright.kit.problems import MAX_ERRORS, FieldErrors, Invalid
from sitewright.kit.validation.bodies import Fractional
from sitewright.kit.validation.nesting import Unreadable, field_of

T = TypeVar("T", bound=msgspec.Struct)
MAX_REF = 2**63 - 1
MAX_INT4 = 2**31 - 1
"""The maximum of a column of type `integer`."""
MAX_TEXT = 255
"""The maximum length of names, titles and similar texts."""
Ref = Annotated[int, msgspec.Meta(ge=1, le=MAX_REF)]

MAX_INTEGER_DIGITS = 19
MIN_INTEGER, MAX_INTEGER = -(2**63), 2**63 - 1
AS_PAIRS = {"pairs": True}
Pairs = msgspec.Meta(extra=AS_PAIRS)
"""`Annotated[list[Metadata], Pairs]`: name-value pairs, sent as a list or as one object."""
FROM_NUMBERS = {"numbers": True}
AcceptsNumbers = msgspec.Meta(extra=FROM_NUMBERS)
"""`Annotated[str, AcceptsNumbers]`: text that may also be sent as a JSON number, whose text is kept."""
_FLAGS = {"0": False, "1": True, "false": False, "true": True}
NEST_IT = "was sent with brackets in its name, as in forms; in JSON send it as a nested value"
GAPS = "must be a list; number its keys 0, 1, 2 and so on, without gaps"
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?")
_AMOUNT = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,2})?", re.ASCII)


def parse_ref(text: str) -> int | None:
    """A ref written in ASCII digits, 1 to 2^63-1; None for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_INTEGER_DIGITS):
        return None
    return ref if 1 <= (ref := int(text)) <= MAX_INTEGER else None


def Text(minimum: int, maximum: int) -> msgspec.Meta:  # noqa: N802 - reads as a type: Annotated[str, Text(1, 150)]
    """Text of `minimum` to `maximum` characters."""
    return msgspec.Meta(min_length=minimum, max_length=maximum)


class TooManyErrors(Exception):
    """More fields are invalid than a response reports; validation stops."""


class Failure(Exception):
    """Why a value is invalid; the message follows the field's name."""


def parse(into: type[T], values: dict[str, Any], *, maximums: Mapping[str, int] = MappingProxyType({})) -> T:
    """`values` as `into`; raises `Invalid` with every invalid field. Unknown fields are ignored.

    `maximums` are additional limits for the lengths of texts, by field.
    """
    read, errors = read_fields(into, values, maximums)
    if errors:
        raise Invalid.fields(errors)
    return into(**read)


def read_fields(
    into: type[msgspec.Struct], values: dict[str, Any], maximums: Mapping[str, int] = MappingProxyType({})
) -> tuple[dict[str, Any], FieldErrors]:
    """The valid values, by attribute, and the errors of the others: at most one more than a response reports."""
    errors: FieldErrors = {}
    try:
        read = _fields(into, values, "", errors)
    except TooManyErrors:
        return {}, errors
    for name, maximum in maximums.items():
        if name not in errors and isinstance(values.get(name), str) and len(values[name]) > maximum:
            _fail(errors, name, name, f"must hold at most {maximum} characters")
    return read, errors


def _struct(into: type[msgspec.Struct], values: dict[str, Any], path: str, errors: FieldErrors) -> Any:
    before = len(errors)
    read = _fields(into, values, path, errors)
    return None if len(errors) > before else into(**read)


def _fields(into: type[msgspec.Struct], values: dict[str, Any], path: str, errors: FieldErrors) -> dict[str, Any]:
    read: dict[str, Any] = {}
    unknown = len(values)
    for field, reader in _readers(into):
        where = f"{path}.{field.encode_name}" if path else field.encode_name
        if field.encode_name not in values:
            if field.required:
                _fail(errors, where, field.encode_name, "is required")
            continue
        unknown -= 1
        before = len(errors)
        try:
            if type(value := values[field.encode_name]) is Unreadable:
                raise Failure(value.reason)  # noqa: TRY301 - a call for each field would cost more than the check
            value = reader(value, where, errors)
        except Failure as failure:
            _fail(errors, where, field.encode_name, str(failure))
        if len(errors) == before:
            read[field.name] = value
    if unknown:
        _reject_bracketed(into, values, path, errors)
    return read


def _reject_bracketed(into: type[msgspec.Struct], values: dict[str, Any], path: str, errors: FieldErrors) -> None:
    """Report a JSON key like `metadata[crm]`: it is meant for a known field, so it is not ignored as unknown."""
    known = {field.encode_name for field, _ in _readers(into)}
    for name in values:
        field = field_of(name)
        if field != name and field in known:
            _fail(errors, f"{path}.{field}" if path else field, field, NEST_IT)


def _fail(errors: FieldErrors, where: str, name: str, message: str) -> None:
    errors[where] = {field_code(name): message}
    if len(errors) > MAX_ERRORS:
        raise TooManyErrors


def field_code(name: str) -> str:
    """The problem code of an invalid field, whatever the reason: `invalidFirstName`."""
    return "invalid" + "".join(word[:1].upper() + word[1:] for word in name.split("_"))


Reader = Callable[[Any, str, FieldErrors], Any]


@cache
def _readers(into: type[msgspec.Struct]) -> tuple[tuple[inspect.Field, Reader], ...]:
    described = inspect.type_info(into)
    assert isinstance(described, inspect.StructType)  # noqa: S101 - narrows the type
    return tuple((field, _reader(field.type)) for field in described.fields)


def _reader(kind: inspect.Type) -> Reader:  # noqa: C901, PLR0911 - one case for each kind of value
    match kind:
        case inspect.Metadata(type=described, extra=extra):
            read = _reader(described)
            return _pairs(read) if extra == AS_PAIRS else _from_numbers(read) if extra == FROM_NUMBERS else read
        case inspect.UnionType(types=types):
            structs = [each for each in types if isinstance(each, inspect.StructType)]
            return _tagged(structs) if len(structs) == len(types) else _optional(types)
        case inspect.IntType():
            return lambda value, _where, _errors: _integer(value, kind)
        case inspect.FloatType():
            return lambda value, _where, _errors: _number(value, kind)
        case inspect.DecimalType():
            return lambda value, _where, _errors: _amount(value)
        case inspect.BoolType():
            return lambda value, _where, _errors: _flag(value)
        case inspect.StrType():
            return lambda value, _where, _errors: _text(value, kind)
        case inspect.LiteralType(values=allowed):
            return lambda value, _where, _errors: _one_of(value, allowed)
        case inspect.ListType(item_type=item, max_length=maximum):
            return _list(_reader(item), maximum)
        case inspect.StructType(cls=cls):
            return lambda value, where, errors: _struct(cls, _object(value), where, errors)
        case inspect.AnyType():
            return lambda value, _where, _errors: value
    raise TypeError(f"requests cannot hold {kind}")


def _optional(types: tuple[inspect.Type, ...]) -> Reader:
    [present] = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
    read = _reader(present)
    return lambda value, where, errors: None if value is None else read(value, where, errors)


def _tagged(structs: list[inspect.StructType]) -> Reader:
    """One of several structs, by the value of their tag field."""
    by_tag = {each.tag: each.cls for each in structs}
    tag_field = structs[0].tag_field or ""

    def read_tagged(value: Any, where: str, errors: FieldErrors) -> Any:
        values = _object(value)
        tag = values.get(tag_field)
        chosen = by_tag.get(tag) if isinstance(tag, str) else None
        if chosen is None:
            message = "must be one of " + ", ".join(str(each) for each in by_tag)
            _fail(errors, f"{where}.{tag_field}", tag_field, message if tag_field in values else "is required")
            return None
        return _struct(chosen, values, where, errors)

    return read_tagged


def _list(read: Reader, maximum: int | None) -> Reader:
    """The items of a list that exceeds its maximum are not validated; every list of the API has one."""

    def read_list(value: Any, where: str, errors: FieldErrors) -> list[Any]:
        if not isinstance(value, list):
            raise Failure(GAPS if _is_numbered(value) else "must be a list")
        if maximum is not None and len(value) > maximum:
            raise Failure(f"must hold at most {maximum} items")
        items = []
        for index, item in enumerate(value):
            place = f"{where}[{index}]"
            try:
                items.append(read(item, place, errors))
            except Failure as failure:
                _fail(errors, place, where.rpartition(".")[2].split("[")[0], str(failure))
        return items

    return read_list


def _pairs(read_list: Reader) -> Reader:
    """`{"a": "b"}` is equivalent to `[{"name": "a", "value": "b"}]`."""

    def read_pairs(value: Any, where: str, errors: FieldErrors) -> Any:
        if isinstance(value, dict) and not (_is_numbered(value) and isinstance(next(iter(value.values())), dict)):
            value = [{"name": name, "value": each} for name, each in value.items()]
        if not isinstance(value, list | dict):
            raise Failure("must be an object of names and values, or a list of them")
        return read_list(value, where, errors)

    return read_pairs


def _from_numbers(read_text: Reader) -> Reader:
    def read(value: Any, where: str, errors: FieldErrors) -> Any:
        if isinstance(value, Fractional):
            value = value.written
        return read_text(str(value) if type(value) is int else value, where, errors)

    return read


def _is_numbered(value: Any) -> bool:
    """Whether the value is an object with numeric keys: the result of a form's list with missing indexes."""
    return isinstance(value, dict) and bool(value) and all(name.isascii() and name.isdigit() for name in value)


def _object(value: Any) -> dict[str, Any]:
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise Failure("must be an object")
    return value


def _integer(value: Any, kind: inspect.IntType) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MAX_INTEGER_DIGITS:
        value = int(value)
    if type(value) is not int:
        raise Failure("must be an integer")
    minimum = MIN_INTEGER if kind.ge is None else kind.ge
    maximum = MAX_INTEGER if kind.le is None else kind.le
    if value < minimum:
        raise Failure(f"must be at least {minimum}")
    if value > maximum:
        raise Failure(f"must be at most {maximum}")
    return value


def _number(value: Any, kind: inspect.FloatType) -> float:
    written = value.written if isinstance(value, Fractional) else str(value) if type(value) is int else value
    if not isinstance(written, str) or not _NUMBER.fullmatch(written):
        raise Failure("must be a number")
    number = float(written)
    if (kind.ge is not None and number < kind.ge) or (kind.le is not None and number > kind.le):
        raise Failure(f"must be a number from {kind.ge:g} to {kind.le:g}")
    return number


def _amount(value: Any) -> Decimal:
    written = value.written if isinstance(value, Fractional) else str(value) if type(value) is int else value
    if not isinstance(written, str) or not _AMOUNT.fullmatch(written):
        raise Failure("must be an amount from 0 to 9999999999.99, with at most two decimals")
    return Decimal(written)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if type(value) is int and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and (flag := _FLAGS.get(value.lower())) is not None:
        return flag
    raise Failure("must be 0, 1, true or false")


def _text(value: Any, kind: inspect.StrType) -> str:
    if not isinstance(value, str):
        raise Failure("must be text")
    if not is_storable(value):
        raise Failure("must not hold NUL or unpaired surrogates")
    if kind.min_length is not None and len(value) < kind.min_length:
        raise Failure(f"must hold at least {kind.min_length} {_characters(kind.min_length)}")
    if kind.max_length is not None and len(value) > kind.max_length:
        raise Failure(f"must hold at most {kind.max_length} {_characters(kind.max_length)}")
    return value


def _characters(count: int) -> str:
    return "character" if count == 1 else "characters"


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can store the text: without NUL and unpaired surrogates."""
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _one_of(value: Any, allowed: tuple[Any, ...]) -> Any:
    if not isinstance(value, str) or value not in allowed:
        raise Failure("must be one of " + ", ".join(str(each) for each in allowed))
    return value
