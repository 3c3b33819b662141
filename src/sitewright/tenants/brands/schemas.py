from typing import Annotated

import msgspec

from sitewright.kit.http.about import about


class Language(msgspec.Struct, frozen=True):
    """A language that account holders of a brand can have."""

    ref: Annotated[int, about("The language's number.", 1)]
    code: Annotated[str, about("The code that `languageCode` takes.", "en")]
    name: Annotated[str, about("The language's name in itself.", "English")]


class BrandSettings(msgspec.Struct, frozen=True):
    """A brand's settings from the catalogue. Internal, not part of the API."""

    brand_ref: int
    name: str
    domain: str | None
    time_zone: str
    activation_url: str | None
    help_url: str | None
    editor_url: str | None
    contact: str | None
    allowed_link_hosts: list[str]
    consistent_types: bool
    upsert_global_values: bool
    default_currency_ref: int | None
    default_package_ref: int | None
    mail_sender: str | None
    reserved_names: list[str]
    allowed_reserved_names: list[str]
    language_codes: list[str]


class Languages(msgspec.Struct, frozen=True):
    """The languages of a brand."""

    languages: Annotated[
        list[Language], about("In the brand's own order.", [{"ref": 1, "code": "en", "name": "English"}])
    ]
