"""`/resources/templates/<directory>/<thumbnail>`: public thumbnails of templates.

All files are read once at start-up and looked up by name, which makes path traversal impossible.
"""

from collections.abc import Iterable
from importlib.resources.abc import Traversable

from sitewright.kit.http.public import PublicPage, PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import NotFound
from sitewright.kit.resources import Resources

PATH = "/resources/templates/{directory:str}/{thumbnail:str}"
MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
HEADERS = {"cache-control": "public, max-age=86400"}
PUBLIC = (
    PublicRoute(
        path=PATH,
        operation_id="getTemplateThumbnail",
        summary="The thumbnail of a template.",
        description="`directory` and `thumbnail` are those of the template. It may be cached for a day.",
        responses={200: "The picture."},
        media_type="image/*",
        tag="templates",
        errors=(NotFound,),
    ),
)


def thumbnail_pages(folders: Iterable[Traversable]) -> list[PublicPage]:
    """Serve `<directory>.webp` (or another image type) from the folders; later folders take precedence.

    A catalogue that names a picture of an earlier release, of another type, gets the template's current one.
    """
    pictures = {file.name: file.read_bytes() for file in _pictures(folders)}
    by_directory = {name.rpartition(".")[0]: name for name in pictures}

    async def thumbnail_of(_resources: Resources, directory: str, thumbnail: str) -> Response:
        stem, _, extension = thumbnail.rpartition(".")
        if stem != directory or extension not in MEDIA_TYPES or directory not in by_directory:
            raise NotFound
        name = thumbnail if thumbnail in pictures else by_directory[directory]
        return Response(200, pictures[name], HEADERS, MEDIA_TYPES[name.rpartition(".")[2]])

    return [PublicPage(PUBLIC[0], thumbnail_of)]


def _pictures(folders: Iterable[Traversable]) -> Iterable[Traversable]:
    for folder in folders:
        if folder.is_dir():
            yield from (file for file in folder.iterdir() if file.name.rpartition(".")[2] in MEDIA_TYPES)
