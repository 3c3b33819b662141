"""Generates the OpenAPI 3.1 document from the types that the code uses."""

from sitewright.kit.http.openapi.document import Document, document_of

__all__ = ["Document", "document_of"]
