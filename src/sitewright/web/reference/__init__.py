"""The reference: the OpenAPI document, pages to read it, and a page for every problem code."""

from sitewright.web.reference.routes import PUBLIC, reference_pages

__all__ = ["PUBLIC", "reference_pages"]
