from collections.abc import Sequence

from sitewright.kit.problems import Conflict, Invalid, NotFound, TooLarge

MAX_NAMED_PLACES = 20


class MediaTooLarge(TooLarge):
    code = "mediaTooLarge"
    title = "The picture is too large"
    detail = (
        "A picture may have at most 25 MiB and 50 megapixels, all frames of an animation together."
        " Save it smaller and upload it again."
    )


class MediaUnreadable(Invalid):
    code = "mediaUnreadable"
    title = "The picture cannot be read"
    detail = "Send a complete picture as JPEG, PNG, GIF, WebP, AVIF or SVG. The content decides, not the file name."


class MediaNotCroppable(Invalid):
    code = "mediaNotCroppable"
    title = "The picture cannot be cropped"
    detail = "Drawings (SVG) and animations cannot be cropped. Use a photograph or another still picture."


class MediaNotFound(NotFound):
    code = "mediaNotFound"
    title = "No such media"
    detail = "There is no media with this ref on this site."


class MediaInUse(Conflict):
    code = "mediaInUse"
    title = "The picture is in use"
    detail = (
        "The site still uses this picture. Replace it there first, or send force=1: those places then show nothing."
    )

    def __init__(self, places: Sequence[str] = ()) -> None:
        """`places` are for people, like `page "Menu", widget photo, value src`."""
        named = list(places[:MAX_NAMED_PLACES])
        more = f" and {len(places) - len(named)} more" if len(places) > len(named) else ""
        listed = f"Used in: {'; '.join(named)}{more}." if named else ""
        super().__init__(
            f"{self.detail} {listed}".strip(),
            errors={place: {self.code: "shows this picture"} for place in named},
        )
