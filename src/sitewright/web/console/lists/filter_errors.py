"""What is wrong with the filters of a list, in the operator's language."""

from msgspec import inspect, structs

from sitewright.kit.http.messages import Messages
from sitewright.kit.problems import Problem
from sitewright.web.console.lists.columns import Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery


def filter_errors(listed: ConsoleList, problem: Problem, messages: Messages) -> dict[str, str]:
    """By the names of the filters. Empty where something else is wrong with the request."""
    return {
        each.name: messages(f"list_wrong_{_kind(listed.query, each)}")
        for each in listed.filters
        if each.name in problem.errors
    }


def _kind(query: type[ListQuery], wrong: Filter) -> str:
    if wrong.kind in ("choice", "day"):
        return wrong.kind
    [field] = [each for each in structs.fields(query) if each.encode_name == wrong.name]
    return "number" if _holds_number(inspect.type_info(field.type)) else "text"


def _holds_number(described: inspect.Type) -> bool:
    match described:
        case inspect.Metadata(type=inner):
            return _holds_number(inner)
        case inspect.UnionType(types=types):
            return any(map(_holds_number, types))
        case _:
            return isinstance(described, inspect.IntType)
