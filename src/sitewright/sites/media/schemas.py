"""Wire schemas of media."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.kit.validation import MAX_TEXT

MAX_ALT = 1000
Name = Annotated[
    str, about("What it is called in the library; else the name of the file.", "bar.jpg", max_length=MAX_TEXT)
]
Alt = Annotated[
    str, about("What it shows, for those who cannot see it.", "The bar, seen from the door", max_length=MAX_ALT)
]
FocalX = Annotated[float, about("Where crops are centered: 0 is the left edge, 1 the right.", 0.5, ge=0, le=1)]
FocalY = Annotated[float, about("Where crops are centered: 0 is the top, 1 the bottom.", 0.5, ge=0, le=1)]
EXAMPLE = {"ref": 12, "name": "bar.jpg"}


class Media(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A picture of a site. Widget values and profile fields name it as `media:<ref>`."""

    ref: Annotated[int, about("The picture's number.", 12)]
    name: Annotated[str, about("What it is called in the library.", "bar.jpg")]
    alt: Annotated[str, about("What it shows, for those who cannot see it.", "The bar, seen from the door")]
    mime_type: Annotated[str, about("The format of the original, detected from its content.", "image/jpeg")]
    width: Annotated[int, about("In pixels, upright.", 4000)]
    height: Annotated[int, about("In pixels, upright.", 3000)]
    bytes: Annotated[int, about("The size of the original, which counts towards `storageBytesUsed`.", 2483112)]
    focal_x: Annotated[float, about("Where crops are centered: 0 is the left edge, 1 the right.", 0.5)]
    focal_y: Annotated[float, about("Where crops are centered: 0 is the top, 1 the bottom.", 0.5)]
    url: Annotated[
        str,
        about(
            "A variant of at most 960 pixels, on the service's own host: for showing it in a media library or an"
            " editor, also while the site is offline. Pages name it as `media:<ref>` instead. The original is never"
            " served.",
            "https://sites.example.com/account/media/1-7-0b7c1f0d4f7e4f5c8a0c6f0f5d0c9b1a-960.webp",
        ),
    ]
    created: Annotated[TS, about("When it was uploaded.", AT)]
    updated: Annotated[TS, about("When it was last changed.", AT)]


class MediaResponse(msgspec.Struct, frozen=True):
    """One picture."""

    media: Annotated[Media, about("The picture.", EXAMPLE)]


class MediaList(msgspec.Struct, frozen=True):
    """The pictures of a site."""

    media: Annotated[list[Media], about("Last uploaded first.", [EXAMPLE])]


class NewMedia(msgspec.Struct, frozen=True):
    """What may come with a picture: as fields of the form, or in the query."""

    name: Name | UnsetType = UNSET
    alt: Alt | UnsetType = UNSET


class MediaChanges(msgspec.Struct, frozen=True, rename="camel"):
    """Changes of a picture; fields that are not sent stay as they are."""

    name: Annotated[str, about("What it is called.", "bar.jpg", min_length=1, max_length=MAX_TEXT)] | UnsetType = UNSET
    alt: Alt | UnsetType = UNSET
    focal_x: FocalX | UnsetType = UNSET
    focal_y: FocalY | UnsetType = UNSET


class MediaCrop(msgspec.Struct, frozen=True):
    """A part of a picture, in shares of its upright width and height.

    It has at least one pixel, and ends where the picture ends.
    """

    x: Annotated[float, about("Its left edge.", 0.25, ge=0, le=1)]
    y: Annotated[float, about("Its upper edge.", 0.1, ge=0, le=1)]
    width: Annotated[float, about("How wide it is.", 0.5, ge=0, le=1)]
    height: Annotated[float, about("How high it is.", 0.8, ge=0, le=1)]


class DeleteMedia(msgspec.Struct, frozen=True):
    """How to delete a picture."""

    force: Annotated[bool, about("1: also where it is in use; those places then show nothing.", False)] = False


class MediaVariant(msgspec.Struct, frozen=True):
    name: str
    """Of its file: `/_media/<name>` on the site's own hosts, `own_host_prefix` on the service's."""
    format: str
    """Its extension: webp, avif, jpg, png or svg."""
    width: int
    height: int
    animated: bool


class MediaFiles(msgspec.Struct, frozen=True):
    """A picture with the variants that exist now, for publishing."""

    ref: int
    name: str
    alt: str
    mime_type: str
    width: int
    height: int
    frames: int
    focal_x: float
    focal_y: float
    variants: list[MediaVariant]
