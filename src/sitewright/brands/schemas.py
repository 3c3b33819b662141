from typing import Annotated

import msgspec

from sitewright.kit.http.about import about


class Language(msgspec.Struct, frozen=True):
    """A language that account holders of a brand may be given."""

    ref: Annotated[int, about("The language's number.", 1)]
    code: Annotated[str, about("The code that `languageCode` takes.", "en")]
    name: Annotated[str, about("The language's name in itself.", "English")]


class Languages(msgspec.Struct, frozen=True):
    """The languages of a brand."""

    languages: Annotated[
        list[Language], about("In the brand's own order.", [{"ref": 1, "code": "en", "name": "English"}])
    ]
