"""The OpenAPI 3.1 document of the interface, made of the same types as the code."""

from sitewright.kit.http.openapi.document import Document, document_of

__all__ = ["Document", "document_of"]
