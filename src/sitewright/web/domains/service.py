"""The views, texts and templates that both kinds of pages use."""

from pathlib import Path

from sitewright.web.domains.certificates import CertificateView, certificate_view, reason_text
from sitewright.web.domains.health import CopiedRecord, HealthView, describe_reason, health_view
from sitewright.web.domains.records import (
    NewRecordQuery,
    RecordForm,
    form_values,
    read_form,
    record_errors,
    record_lists,
    type_links,
    typed_record,
    zone_view,
)

__all__ = [
    "TEMPLATES",
    "TEXTS",
    "CertificateView",
    "CopiedRecord",
    "HealthView",
    "NewRecordQuery",
    "RecordForm",
    "certificate_view",
    "describe_reason",
    "form_values",
    "health_view",
    "read_form",
    "reason_text",
    "record_errors",
    "record_lists",
    "type_links",
    "typed_record",
    "zone_view",
]
_FOLDER = Path(__file__).parent
TEXTS = _FOLDER / "texts"
TEMPLATES = _FOLDER / "templates"
