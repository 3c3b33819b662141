"""Schemas of the account pages' forms and queries."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref


class Form(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A form that is only a button."""

    token: Annotated[str, about("The session's form token, against cross-site requests.", "0f3a")] = ""


class LiveForm(Form, frozen=True, rename="camel", kw_only=True):
    """Take a site offline, or live again."""

    live: Annotated[bool, about("Whether visitors see the site.", True)]


class SiteQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The query of a site's page."""

    done: Annotated[str | None, about("What has just been done, for the page to say so.", "published")] = None


class PickerQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The query of the template picker. Unknown values are ignored."""

    site_ref: Annotated[str, about("The site to choose a template for.", "1")]
    selected_category: Annotated[str | None, about("The key of a template category.", "food-and-drink")] = None
    selected_type: Annotated[str | None, about("The name of a tag.", "one-page")] = None
    preview: Annotated[str | None, about("The ref of a template to preview.", "2")] = None


class PreviewQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Which site to show in which template."""

    site_ref: Annotated[str, about("A site of the account holder.", "1")]
    template_ref: Annotated[str, about("A template that may be chosen.", "2")]


class ChooseForm(Form, frozen=True, rename="camel", kw_only=True):
    """The choice of a template."""

    site_ref: Annotated[Ref, about("The site.", 1)]
    template_ref: Annotated[Ref, about("Its new template.", 2)]
