from sitewright.kit.problems import Invalid, TooLarge


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
