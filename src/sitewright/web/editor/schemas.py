"""What the editor's page and its script exchange with the service."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.validation import MAX_TEXT, Ref
from sitewright.sites.content.page_sets.service import PageSet
from sitewright.sites.media.schemas import Media

NO_EXAMPLE: dict[str, Any] = {}


class EditorQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The query of the editor's page."""

    page: Annotated[str | None, about("The page to open; else the home page.", "11")] = None


class Token(msgspec.Struct, frozen=True):
    """The session's form token."""

    token: Annotated[str, about("Sent as X-Form-Token with every change.", "0f3a")]


class Choice(msgspec.Struct, frozen=True):
    """A set of colors or fonts of the template."""

    ref: Annotated[int, about("Its number within the template.", 1)]
    name: Annotated[str, about("What it is called.", "Paper")]
    values: Annotated[dict[str, str], about("Its colors or fonts by name.", {"accent": "#121212"})]


class FontFace(msgspec.Struct, frozen=True):
    """A bundled font of the template, for samples of it."""

    family: Annotated[str, about("Its name in styles.", "Lora")]
    url: Annotated[str, about("Its file, with Latin letters.", "/_site/fonts/lora-latin.0123456789ab.woff2")]
    weights: Annotated[str, about("The weights that it has.", "400 700")]


class DesignChoices(msgspec.Struct, frozen=True, rename="camel"):
    """The choices of a site's template."""

    colors: Annotated[list[Choice], about("Its sets of colors.", [])]
    fonts: Annotated[list[Choice], about("Its sets of fonts.", [])]
    color_ref: Annotated[int | None, about("The set of colors where the site has no own choice.", 1)] = None
    font_ref: Annotated[int | None, about("The set of fonts where the site has no own choice.", 1)] = None
    faces: Annotated[list[FontFace], about("The fonts that the sets name, for samples of them.", [])] = []


class TemplateChoice(msgspec.Struct, frozen=True):
    """A template that the account holder can choose."""

    ref: Annotated[int, about("Its number.", 1)]
    name: Annotated[str, about("Its name in the user's language.", "Atelier")]
    thumbnail: Annotated[str, about("The address of its picture.", "/resources/templates/atelier/atelier.svg")]


class EditorStart(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What the editor's script needs once, besides the content."""

    token: Annotated[str, about("Sent as X-Form-Token with every change.", "0f3a")]
    name: Annotated[str, about("The site's name.", "Penny & Pear")]
    address: Annotated[str | None, about("The site's URL.", "http://www.example.com/")]
    published: Annotated[bool, about("Whether it was ever published.", False)]
    texts: Annotated[dict[str, str], about("The editor's texts in the user's language.", {"publish": "Publish"})]
    types: Annotated[list[dict[str, Any]], about("The widget types, with titles.", [])]
    sections: Annotated[list[dict[str, Any]], about("The ready-made sections.", [])]
    page_sets: Annotated[list[PageSet], about("The ready-made sets of first pages.", [])]
    templates: Annotated[list[TemplateChoice], about("The templates to choose from.", [])]
    design: Annotated[DesignChoices, about("Colors and fonts of the template.", NO_EXAMPLE)]
    rules: Annotated[dict[str, int], about("The capabilities of the package.", {"pagesLimited": 5})]
    profile: Annotated[
        dict[str, str], about("Pictures of the profile, and the name of the business.", {"logo": "media:12"})
    ]


class Detail(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A field of the business details."""

    name: Annotated[str, about("Its name, as it is saved.", "business")]
    label: Annotated[str, about("In the user's language.", "Name of the business")]
    value: Annotated[str, about("Its value now.", "Penny & Pear")]
    is_long: Annotated[bool, about("Whether it has several lines.", False)]
    autocomplete: Annotated[str, about("A hint for browsers.", "organization")]
    mode: Annotated[str | None, about("A hint for keyboards on phones.", None)]


class DetailGroup(msgspec.Struct, frozen=True):
    """Fields that belong together."""

    title: Annotated[str, about("In the user's language.", "Contact")]
    fields: Annotated[list[Detail], about("Its fields.", [])]


class EditorDetails(msgspec.Struct, frozen=True):
    """What the template shows of the business."""

    groups: Annotated[list[DetailGroup], about("The fields by group.", [])]


class PublishReason(msgspec.Struct, frozen=True, rename="camel"):
    """What prevents publishing, or a warning."""

    code: Annotated[str, about("Which it is, for programs.", "packageLimitReached")]
    text: Annotated[str, about("In the user's language.", "Pages: your package allows 5, and you have 6.")]
    is_warning: Annotated[bool, about("Whether it can be published nevertheless.", False)]


class PublishState(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Whether the site can be published."""

    reasons: Annotated[list[PublishReason], about("What prevents it, then warnings.", [])]
    activation_url: Annotated[str | None, about("Where the brand activates sites before the first publish.", None)]
    published: Annotated[bool, about("Whether it was ever published.", False)]


class EditorMedia(msgspec.Struct, frozen=True, kw_only=True):
    """Pictures of the site."""

    media: Annotated[list[Media], about("Last uploaded first.", [])]
    next: Annotated[str | None, about("The query of the next page of the list.", None)] = None


class MediaQuery(msgspec.Struct, frozen=True):
    """Which pictures to list."""

    after: Annotated[str | None, about("The ref after which the list goes on.", "12")] = None


class PictureForm(msgspec.Struct, frozen=True, kw_only=True):
    """Pictures that belong to the whole site. Null removes one; those that are not sent stay."""

    logo: Annotated[str, about("The site's logo.", "media:12", max_length=MAX_TEXT)] | UnsetType | None = UNSET
    featureimage: (
        Annotated[str, about("The large picture of the home page.", "media:12", max_length=MAX_TEXT)] | UnsetType | None
    ) = UNSET


class RenderQuery(msgspec.Struct, frozen=True):
    """Which page to render."""

    page: Annotated[Ref, about("A page of the site.", 11)]


class RenderedPage(msgspec.Struct, frozen=True):
    """A page as the editor's frame shows it."""

    html: Annotated[str, about("The whole document.", "<!doctype html>")]
