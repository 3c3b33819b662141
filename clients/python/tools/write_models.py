"""Writes one TypedDict for each schema."""

import keyword

from openapi import Document, Schema, docstring

HEAD = '''"""The bodies of requests and responses. Generated from the OpenAPI document by `make client`: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


'''


def models_module(document: Document) -> str:
    by_class_name = sorted(document.names.items(), key=lambda names: names[1])
    return HEAD + "\n\n".join(_model(document, name, document.components[name]) for name, _ in by_class_name)


def _model(document: Document, name: str, schema: Schema) -> str:
    class_name = document.names[name]
    fields = schema.get("properties")
    if fields is None:
        return f"{class_name} = {document.python_type(schema)}\n"
    if all(field.isidentifier() and not keyword.iskeyword(field) for field in fields):
        return _class(document, class_name, schema)
    return _functional(document, class_name, schema)


def _class(document: Document, class_name: str, schema: Schema) -> str:
    lines = [f"class {class_name}(TypedDict):", docstring(schema.get("description", class_name)), ""]
    for field, part in schema["properties"].items():
        lines.append(f"    {field}: {_field_type(document, schema, field, part)}")
        if part.get("description"):
            lines.append(docstring(part["description"]))
    return "\n".join(lines) + "\n"


def _functional(document: Document, class_name: str, schema: Schema) -> str:
    """For fields whose names are Python keywords, such as `from`."""
    parts = schema["properties"].items()
    fields = ", ".join(f"{field!r}: {_field_type(document, schema, field, part)!r}" for field, part in parts)
    text = docstring(schema.get("description", class_name), indent="")
    return f"{class_name} = TypedDict({class_name!r}, {{{fields}}})\n{text}\n"


def _field_type(document: Document, schema: Schema, field: str, part: Schema) -> str:
    kind = document.python_type(part)
    return kind if field in schema.get("required", []) else f"NotRequired[{kind}]"
