"""A published page whose contact form shows what the visitor typed, with the errors at their fields.

The page is the one of the snapshot, so it looks like the rest of the site, and nothing typed is lost without scripts.
"""

import re
from collections.abc import Mapping

import msgspec
from markupsafe import escape

FORM_END = "</form>"
_TAG = re.compile(r"<(?:input|textarea)\b[^<>]*+>")


class FormShape(msgspec.Struct, frozen=True):
    """How a form begins in the templates, and the fields that visitors fill in."""

    start: str
    fields: tuple[str, ...]


CONTACT_FORM = FormShape('<form method="post" action="/_site/contact">', ("name", "email", "message"))
NEWSLETTER_FORM = FormShape('<form method="post" action="/_site/contact" class="newsletter-form">', ("email",))


def fill_in(
    page: str, typed: Mapping[str, str], errors: Mapping[str, str], summary: str, shape: FormShape = CONTACT_FORM
) -> str | None:
    """Return the page with its first form of this shape filled in; None where it has no such form that we know.

    `errors` has a text for each invalid field, `summary` is shown above the fields.
    """
    start = page.find(shape.start)
    end = page.find(FORM_END, start)
    if start < 0 or end < 0:
        return None
    form = page[start + len(shape.start) : end]
    tags = {field: tag for tag in _TAG.findall(form) for field in shape.fields if f' name="{field}"' in tag}
    if len(tags) < len(shape.fields):
        return None
    for field, tag in tags.items():
        form = form.replace(*_filled(field, tag, form, typed.get(field, ""), errors), 1)
    alert = f'<p class="form-error" role="alert">{escape(summary)}</p>'
    return page[: start + len(shape.start)] + alert + form + page[end:]


def _filled(field: str, tag: str, form: str, value: str, errors: Mapping[str, str]) -> tuple[str, str]:
    """The element as it is, and as it shall be."""
    attributes, note = "", ""
    if field in errors:
        focus = " autofocus" if field == next(iter(errors)) else ""
        attributes = f' aria-invalid="true" aria-describedby="contact-error-{field}"{focus}'
        note = f'<span class="error" id="contact-error-{field}">{escape(errors[field])}</span>'
    if tag.startswith("<input"):
        return tag, f'{tag[:-1]} value="{escape(value)}"{attributes}>{note}'
    at = form.index(tag)
    element = form[at : form.index("</textarea>", at) + len("</textarea>")]
    return element, f"{tag[:-1]}{attributes}>\n{escape(value)}</textarea>{note}"
