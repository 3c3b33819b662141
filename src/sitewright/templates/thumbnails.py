"""`/resources/templates/<directory>/<thumbnail>`: pictures of templates, for anyone.

The pictures there are, are read once, at start; a name is looked up among them, so no path can lead elsewhere.
"""

from collections.abc import Iterable
from importlib.resources.abc import Traversable
from typing import Any

from litestar import Request, Response
from litestar.handlers import HTTPRouteHandler

from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.trace import trace_of
from sitewright.kit.problems import NotFound

PATH = "/resources/templates/{directory:str}/{thumbnail:str}"
MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
HEADERS = {"cache-control": "public, max-age=86400"}
PUBLIC = (
    PublicRoute(
        path=PATH,
        operation_id="getTemplateThumbnail",
        summary="The thumbnail of a template.",
        description="`directory` and `thumbnail` are those of the template. It may be kept for a day.",
        answers={200: "The picture."},
        media_type="image/svg+xml",
        tag="templates",
        errors=(NotFound,),
    ),
)


def thumbnail_handlers(folders: Iterable[Traversable]) -> list[HTTPRouteHandler]:
    """Each folder holds `<directory>.svg` (or another kind of picture) for its templates; later folders win."""
    pictures = {f"{file.name.rpartition('.')[0]}/{file.name}": file.read_bytes() for file in _pictures(folders)}

    async def get_thumbnail(request: Request[Any, Any, Any]) -> Response[bytes]:
        trace_of(request.scope).route = PATH
        name = f"{request.path_params['directory']}/{request.path_params['thumbnail']}"
        if name not in pictures:
            raise NotFound
        return Response(pictures[name], media_type=MEDIA_TYPES[name.rpartition(".")[2]], headers=HEADERS)

    return [HTTPRouteHandler(PATH, http_method="GET", status_code=200)(get_thumbnail)]


def _pictures(folders: Iterable[Traversable]) -> Iterable[Traversable]:
    for folder in folders:
        if folder.is_dir():
            yield from (file for file in folder.iterdir() if file.name.rpartition(".")[2] in MEDIA_TYPES)
