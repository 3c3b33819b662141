"""Names of built-in templates and categories in the reader's language.

The catalogue holds one name of each. It is translated where it still is the English name that the service knows; a name
that an operator has chosen is shown as it is.
"""

from sitewright.catalogue.templates.schemas import ChoosableTemplate, TemplateCategory
from sitewright.kit.http.messages import DEFAULT, Messages
from sitewright.web.account.formatting import CATALOG


def template_name(template: ChoosableTemplate, messages: Messages) -> str:
    return _translated(f"template_{template.directory}", template.name, messages)


def category_name(category: TemplateCategory, messages: Messages) -> str:
    return _translated(f"category_{category.key}", category.category, messages)


def _translated(key: str, name: str, messages: Messages) -> str:
    return messages(key) if CATALOG.languages[DEFAULT].get(key) == name else name
