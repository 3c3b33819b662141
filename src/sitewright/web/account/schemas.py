"""What the pages' forms and queries hold."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Ref


class Form(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A button."""

    token: Annotated[str, about("Shows that the form was on one of the session's own pages.", "0f3a")] = ""


class LiveForm(Form, frozen=True, rename="camel", kw_only=True):
    """What the buttons that take a site offline and bring it back send."""

    live: Annotated[bool, about("Whether visitors shall see the site.", True)]


class SiteQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How the page of a site is asked for."""

    done: Annotated[str | None, about("What has just been done, for the page to say so.", "published")] = None


class PickerQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How the template picker is asked for. Whatever nobody knows is ignored."""

    site_ref: Annotated[str, about("The site to choose a template for.", "1")]
    selected_category: Annotated[str | None, about("The key of a template category.", "food-and-drink")] = None
    selected_type: Annotated[str | None, about("The name of a tag.", "one-page")] = None
    preview: Annotated[str | None, about("The ref of a template to show at work.", "2")] = None


class PreviewQuery(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Which site to show in which template."""

    site_ref: Annotated[str, about("A site of the account holder.", "1")]
    template_ref: Annotated[str, about("A template that may be chosen.", "2")]


class ChooseForm(Form, frozen=True, rename="camel", kw_only=True):
    """What the picker's button sends."""

    site_ref: Annotated[Ref, about("The site.", 1)]
    template_ref: Annotated[Ref, about("Its new template.", 2)]
