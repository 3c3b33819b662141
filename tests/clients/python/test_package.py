"""The package that is built from clients/python, and the generator of its models and operations."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import httpx2
from packaging.requirements import Requirement

from openapi import Document
from sitewright_client import __version__
from write_models import models_module
from write_operations import operations_module

CLIENT = Path(__file__).parents[3] / "clients" / "python"
BUILD = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"
REDIRECT = {
    "type": "object",
    "description": 'A redirect from "here".',
    "properties": {"from": {"type": "string"}, "to": {"anyOf": [{"type": "null"}, {"type": "string"}]}},
    "required": ["from"],
}
LIST = {
    "type": "object",
    "properties": {"redirects": {"type": "array", "items": {"$ref": "#/components/schemas/a.schemas.Redirect"}}},
}


def document(operation: dict[str, Any], **schemas: Any) -> Document:
    base = {"operationId": "listRedirects", "summary": "Lists.", "description": "", "parameters": [], "responses": {}}
    paths = {"/sites/{siteRef}": {"get": base | operation}, "/page": {"get": {"security": [], "responses": {}}}}
    return Document({"paths": paths, "components": {"schemas": schemas, "parameters": {}}})


def response(schema: dict[str, Any], *headers: str) -> dict[str, Any]:
    return {"headers": {name: {} for name in headers}, "content": {"application/json": {"schema": schema}}}


def test_the_wheel_is_typed_and_needs_one_library(tmp_path: Path) -> None:
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    arguments = [sys.executable, "-c", BUILD, str(tmp_path)]
    built = subprocess.run(arguments, cwd=CLIENT, capture_output=True, text=True, check=True, env=environment)
    with zipfile.ZipFile(tmp_path / built.stdout.strip()) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(f"sitewright_client-{__version__}.dist-info/METADATA").decode()
    assert {"sitewright_client/py.typed", "sitewright_client/models.py"} <= set(names)
    assert metadata.count("Requires-Dist") == 1 and "\nLicense-Expression: Apache-2.0\n" in metadata


def test_the_tested_release_of_the_library_is_allowed() -> None:
    [declared] = tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert Requirement(declared).specifier.contains(httpx2.__version__)


def test_lists_are_found_by_their_link_header() -> None:
    parameters = [
        {"name": "siteRef", "in": "path", "required": True, "schema": {"type": "integer"}},
        {"name": "type", "in": "query", "schema": {"enum": ["a", "b"]}},
        {"name": "If-Match", "in": "header", "schema": {"type": "string"}},
    ]
    schemas = {"a.schemas.Redirect": REDIRECT, "List": LIST, "Unused": REDIRECT}
    listed = {"parameters": parameters, "responses": {"200": response({"$ref": "#/components/schemas/List"}, "Link")}}
    found = document(listed, **schemas)
    text = operations_module(found)
    assert "site_ref: int, *, type_: Literal['a', 'b'] | None = None, if_match: str | None = None" in text
    assert "-> ListOperation[models.List, models.Redirect]:" in text
    assert """path=f"/sites/{segment(site_ref)}", items="redirects", query={"type": type_}""" in text
    assert 'headers={"If-Match": if_match}' in text and "page" not in text.partition("def ")[2]


def test_fields_that_are_keywords_and_schemas_of_the_same_name() -> None:
    union = {
        "anyOf": [
            {"$ref": "#/components/schemas/a.schemas.Redirect"},
            {"$ref": "#/components/schemas/c_d.schemas.Redirect"},
        ]
    }
    schemas = {"a.schemas.Redirect": REDIRECT, "c_d.schemas.Redirect": REDIRECT}
    text = models_module(document({"responses": {"200": response(union)}}, **schemas))
    namespace: dict[str, Any] = {}
    exec(compile(text, "models", "exec"), namespace)  # noqa: S102 - our own generator's output
    for name in ("ARedirect", "CDRedirect"):
        assert set(namespace[name].__annotations__) == {"from", "to"}
    assert "str | None" in text
