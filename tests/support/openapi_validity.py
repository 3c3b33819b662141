"""Validates OpenAPI documents: with openapi-spec-validator, whose check of every schema is done by jsonschema-rs.

Its own check interprets the meta-schema in Python, which takes twice as long as everything else together.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
from openapi_schema_validator import OAS31_BASE_DIALECT_ID
from openapi_schema_validator._specifications import REGISTRY
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
from openapi_spec_validator.validation.keywords import OpenAPIV31SchemaValidator


def errors_in(document: Mapping[str, Any]) -> list[str]:
    return [each.message for each in _SpecValidator(document).iter_errors()]


class _SchemaValidator(OpenAPIV31SchemaValidator):
    def _validate_schema_meta(self, schema: Any, schema_value: Any) -> OpenAPIValidationError | None:
        assert self._get_schema_dialect_id(schema, schema_value) == OAS31_BASE_DIALECT_ID
        found = next(_meta_schema().iter_errors(schema_value), None)
        return None if found is None else OpenAPIValidationError(found.message)


class _SpecValidator(OpenAPIV31SpecValidator):
    keyword_validators = {**OpenAPIV31SpecValidator.keyword_validators, "schema": _SchemaValidator}  # noqa: RUF012


@cache
def _meta_schema() -> jsonschema_rs.Validator:
    of_openapi = [
        (uri, REGISTRY.contents(uri)) for uri in REGISTRY if uri.startswith("https://spec.openapis.org/oas/3.1")
    ]
    registry = jsonschema_rs.Registry(of_openapi)
    return jsonschema_rs.validator_for(
        REGISTRY.contents(OAS31_BASE_DIALECT_ID), registry=registry, validate_formats=True
    )
