"""Every problem code, and the operations that can respond with it."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from sitewright.kit.http.openapi import Document
from sitewright.kit.http.responses import PROBLEM_TYPE
from sitewright.kit.problems import Problem
from sitewright.web.reference.examples.request import operations_of
from sitewright.web.reference.links import href_of

FIELD_DETAIL = (
    "It is missing, of the wrong type, too long or too short, or names something that does not exist. `errors` in the"
    " response says which; correct the field and send the request again."
)


class Link(msgspec.Struct, frozen=True):
    """A link to an operation."""

    href: str
    name: str


class ProblemCode(msgspec.Struct, kw_only=True):
    code: str
    title: str
    status: int
    detail: str
    is_field: bool = False
    links: list[Link] = []


def problem_codes(document: Document) -> dict[str, ProblemCode]:
    """Collect all codes; those of fields last, so that a declared problem with the same code keeps its text."""
    kinds: list[type[Problem]] = [Problem, *_kinds(Problem)]
    found = {
        kind.code: ProblemCode(code=kind.code, title=kind.title, status=kind.status, detail=kind.detail)
        for kind in kinds
    }
    responses = list(_problem_responses(document))
    for link, content in responses:
        for code, example in content["examples"].items():
            if not example["x-field"]:
                _entry(found, code, example["value"]).links.append(link)
    for link, content in responses:
        named = {code for code, example in content["examples"].items() if not example["x-field"]}
        for code in codes_of(content):
            if code not in named:
                _field_entry(found, code).links.append(link)
    return dict(sorted(found.items()))


def _kinds(parent: type[Problem]) -> Iterator[type[Problem]]:
    """Yield all subclasses, declared on a route or not; parents first."""
    for kind in parent.__subclasses__():
        yield kind
        yield from _kinds(kind)


def field_problem(code: str) -> ProblemCode | None:
    """Build the entry of a field's code from the field's name."""
    return _field_entry({}, code) if re.fullmatch(r"invalid[A-Z][A-Za-z0-9]{0,63}", code) else None


def _problem_responses(document: Document) -> Iterator[tuple[Link, dict[str, Any]]]:
    for operation in operations_of(document).values():
        link = Link(href_of(operation), f"{operation.method} {operation.path}")
        for response in operation.described["responses"].values():
            if PROBLEM_TYPE in response.get("content", {}):
                yield link, response["content"][PROBLEM_TYPE]


def codes_of(content: dict[str, Any]) -> list[str]:
    codes: list[str] = content["schema"]["allOf"][1]["properties"]["code"]["enum"]
    return codes


def _entry(found: dict[str, ProblemCode], code: str, value: dict[str, Any]) -> ProblemCode:
    entry = ProblemCode(code=code, title=value["title"], status=value["status"], detail=value["detail"])
    return found.setdefault(code, entry)


def _field_entry(found: dict[str, ProblemCode], code: str) -> ProblemCode:
    name = code.removeprefix("invalid")
    title = f"The field `{name[:1].lower()}{name[1:]}` is not valid"
    return found.setdefault(code, ProblemCode(code=code, title=title, status=400, detail=FIELD_DETAIL, is_field=True))
