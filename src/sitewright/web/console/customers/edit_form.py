"""The form of a customer's details: its present values, and which of them were changed."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from sitewright.accounts.users.customers.service import CustomerDetails
from sitewright.accounts.users.service import Metadata
from sitewright.kit.http.shown_values import shown_values
from sitewright.kit.problems import Problem
from sitewright.web.console.customers.texts_of import metadata_of

TEXTS = (
    "firstName", "lastName", "company", "username", "email", "phoneNumber", "address1", "address2", "city", "state",
    "postcode", "country", "languageCode", "currencyRef", "cpfNumber",
)  # fmt: skip
FLAGS = ("newsletter", "cpfCompany")
NULLABLE = ("phoneNumber", "cpfNumber")
_CAPITAL = re.compile("([A-Z])")
_END_OF_FIELD = re.compile(r"[.\[]")


def present_values(customer: CustomerDetails) -> dict[str, str]:
    """As the form shows them."""
    stored = msgspec.structs.asdict(customer)
    values = {name: stored[_CAPITAL.sub(r"_\1", name).lower()] for name in (*TEXTS, *FLAGS)}
    values = {name: "" if value is None else str(value) for name, value in values.items()}
    flags = {name: "1" if stored[_CAPITAL.sub(r"_\1", name).lower()] else "" for name in FLAGS}
    pairs = "\n".join(map(_line, metadata_of(customer)))
    return values | flags | {"metadata": pairs, "password": ""}


def first_shown(customer: CustomerDetails, form: Mapping[str, Any]) -> dict[str, str]:
    """What the form showed when it was opened."""
    return shown_values(present_values(customer), str(form.get("shown", ""))) | {"password": ""}


def typed_values(form: Mapping[str, Any]) -> dict[str, str]:
    """What was typed, without the spaces around it; boxes that are not checked are not sent."""
    typed = {name: str(form.get(name, "")).strip() for name in (*TEXTS, *FLAGS)}
    lines = [line.strip() for line in str(form.get("metadata", "")).splitlines()]
    return typed | {"metadata": "\n".join(filter(None, lines)), "password": str(form.get("password", ""))}


def changes_of(customer: CustomerDetails, form: Mapping[str, Any]) -> dict[str, Any]:
    """The changed fields, as `PUT /users/{userRef}` takes them: neither as shown nor as they are by now."""
    typed, *known = map(typed_values, (form, present_values(customer), first_shown(customer, form)))
    changed: dict[str, Any] = {
        name: value for name, value in typed.items() if value not in [each[name] for each in known]
    }
    for name in NULLABLE:
        if changed.get(name) == "":
            changed[name] = None
    for name in FLAGS:
        if name in changed:
            changed[name] = "1" if changed[name] else "0"
    if "metadata" in changed:
        stored = {_line(each).strip(): each for each in metadata_of(customer)}
        pairs = [stored.get(line) or _pair(line) for line in typed["metadata"].splitlines()]
        changed["metadata"] = [msgspec.structs.asdict(each) for each in pairs]
    return changed


def _line(pair: Metadata) -> str:
    return f"{pair.name}: {pair.value}"


def _pair(line: str) -> Metadata:
    """Names may hold colons, as in `crm:id: 42`."""
    name, _, value = line.partition(": " if ": " in line else ":")
    return Metadata(name.strip(), value.strip())


def at_fields(problem: Problem) -> Problem:
    """The problem with its errors at the fields of the form: those of a pair at the metadata, for example."""
    if problem.code == "usernameTaken":
        problem.errors = {"username": {problem.code: problem.detail}}
    problem.errors = {_END_OF_FIELD.split(name, maxsplit=1)[0]: codes for name, codes in problem.errors.items()}
    return problem
