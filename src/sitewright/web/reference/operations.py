"""View models of the document's operations, by feature."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from sitewright.kit.http.call import JSON
from sitewright.kit.http.openapi import Document
from sitewright.kit.http.responses import PROBLEM_TYPE
from sitewright.web.reference.examples.languages import LANGUAGES, Language
from sitewright.web.reference.examples.literals import JSON as JSON_SYNTAX
from sitewright.web.reference.examples.literals import literal
from sitewright.web.reference.examples.request import Operation, Values, example_request, operations_of, sources_of
from sitewright.web.reference.fields import FieldRow, field_row, field_rows
from sitewright.web.reference.links import feature_href, href_of
from sitewright.web.reference.problem_codes import codes_of


class ErrorRow(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    code: str
    title: str
    is_own: bool


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What lists show of an operation."""

    id: str
    method: str
    path: str
    summary: str
    href: str


class FeatureView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    href: str
    operations: list[Summary]
    pages: list[Summary]
    """For people and their browsers: they have no page of their own in the reference."""


class SourceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A ref and the call whose response has it."""

    name: str
    field: str
    operation: Summary
    after: Summary | None


class Example(msgspec.Struct, frozen=True, kw_only=True):
    language: Language
    code: str


class OperationView(msgspec.Struct, frozen=True, kw_only=True):
    about: Summary
    feature: str
    description: str
    is_public: bool
    parameters: list[tuple[str, FieldRow]]
    body: list[FieldRow]
    status: str
    response: list[FieldRow]
    errors: list[ErrorRow]
    field_codes: list[str]
    examples: list[Example]
    sources: list[SourceRow]
    before: list[Summary]
    note: str
    response_example: str
    body_example: str
    file_type: str | None
    provides: dict[str, str]
    """Fields of its response that are refs of other operations: the parameter's name and the field's path."""

    @property
    def searched_text(self) -> str:
        rows = [*(row for _, row in self.parameters), *self.body, *self.response]
        return " ".join([self.about.id, self.feature, self.description, *(row.name for row in rows)])


class OperationViews:
    """The views of all operations of the document. `values` are known values for examples: those of the demo."""

    def __init__(self, document: Document, values: Values) -> None:
        self._document, self._values = document, values
        self.operations = operations_of(document)
        self._sources = {each.id: sources_of(each, self.operations) for each in self.operations.values()}

    def features(self) -> list[FeatureView]:
        return [self._feature(tag["name"], tag["description"]) for tag in self._document["tags"]]

    def _feature(self, name: str, description: str) -> FeatureView:
        own = [each for each in self.operations.values() if each.feature == name]
        return FeatureView(
            name=name,
            description="" if description == name.capitalize() else description,
            href=feature_href(name),
            operations=[summary_of(each) for each in own if not each.is_for_browsers],
            pages=[summary_of(each) for each in own if each.is_for_browsers],
        )

    def view(self, operation_id: str) -> OperationView:
        operation = self.operations[operation_id]
        schemas = self._document["components"]["schemas"]
        responses = operation.described["responses"]
        body = {} if operation.body is None else operation.body[1]
        response = operation.response.get(JSON, {})
        request = example_request(operation, self._values)
        return OperationView(
            about=summary_of(operation),
            feature=operation.feature,
            description=operation.described["description"],
            is_public=operation.is_public,
            parameters=[(each["in"], _parameter_row(each, schemas)) for each in operation.parameters],
            body=list(field_rows(body.get("schema", {}), schemas)),
            status=str(operation.status),
            response=list(field_rows(response.get("schema", {}), schemas)),
            errors=_errors(responses),
            field_codes=_field_codes(responses),
            examples=[Example(language=each, code=each.render(request)) for each in LANGUAGES],
            sources=self._source_rows(operation),
            before=[summary_of(self.operations[each]) for each in operation.declared.before],
            note=operation.declared.note,
            response_example=_pretty(response["example"]) if "example" in response else "",
            body_example="" if request.body is None else literal(request.body, JSON_SYNTAX, width=60),
            file_type=request.file_type,
            provides=self._provided(operation_id),
        )

    def link(self, operation_id: str) -> Summary:
        return summary_of(self.operations[operation_id])

    def _source_rows(self, operation: Operation) -> list[SourceRow]:
        found = self._sources[operation.id].items()
        return [
            SourceRow(
                name=name,
                field=source.field,
                operation=self.link(source.operation),
                after=self.link(source.after) if source.after else None,
            )
            for name, source in found
        ]

    def _provided(self, operation_id: str) -> dict[str, str]:
        return {
            name: source.field
            for sources in self._sources.values()
            for name, source in sources.items()
            if source.operation == operation_id
        }


def summary_of(operation: Operation) -> Summary:
    return Summary(
        id=operation.id,
        method=operation.method,
        path=operation.path,
        summary=operation.described["summary"],
        href=href_of(operation),
    )


def form_rows(view: OperationView, values: Mapping[str, Any]) -> list[tuple[str, FieldRow, str]]:
    """The parameters of the form to try the operation, with their first values: place, row, value."""
    return [
        (place, row, str(values.get(row.name, json.loads(row.example))) if place == "path" else "")
        for place, row in view.parameters
        if place in ("path", "query")
    ]


def _parameter_row(parameter: dict[str, Any], schemas: dict[str, Any]) -> FieldRow:
    schema = parameter["schema"] | {"description": parameter["description"], "examples": [parameter["example"]]}
    return field_row(parameter["name"], schema, schemas, required=parameter.get("required", False))


def _errors(responses: dict[str, Any]) -> list[ErrorRow]:
    return [
        ErrorRow(status=status, code=code, title=example["summary"], is_own=example["x-own"])
        for status, response in responses.items()
        for code, example in response.get("content", {}).get(PROBLEM_TYPE, {}).get("examples", {}).items()
    ]


def _field_codes(responses: dict[str, Any]) -> list[str]:
    content = responses.get("400", {}).get("content", {}).get(PROBLEM_TYPE)
    return [code for code in codes_of(content) if code not in content["examples"]] if content else []


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
