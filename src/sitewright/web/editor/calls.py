"""The calls of the editor's script, with their descriptions."""

from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.media.errors import MediaInUse, MediaNotCroppable, MediaNotFound, MediaTooLarge, MediaUnreadable
from sitewright.sites.media.schemas import MediaChanges, MediaCrop, MediaResponse
from sitewright.sites.publishing.errors import SiteTooLarge, TemplateFailed
from sitewright.sites.sites.errors import PackageLimitReached
from sitewright.web.account.holder_pages.service import DetailsForm, PageRequest, find_own_site
from sitewright.web.editor import details, media, publish, rendering
from sitewright.web.editor.content_calls import CONTENT_CALLS
from sitewright.web.editor.history import HISTORY_CALLS
from sitewright.web.editor.preview_links import PREVIEW_LINK_CALLS
from sitewright.web.editor.redirects import REDIRECT_CALLS
from sitewright.web.editor.routes import EDIT, change, read
from sitewright.web.editor.schemas import (
    EditorDetails,
    EditorMedia,
    EditorStart,
    MediaQuery,
    PictureForm,
    PublishState,
    RenderedPage,
    RenderQuery,
    Token,
)
from sitewright.web.editor.session_call import SessionCall
from sitewright.web.editor.start import start

MEDIA = f"{EDIT}/media"
ONE_PICTURE = MEDIA + "/{media_ref:int}"
RENDERING_ERRORS = (TemplateFailed, SiteTooLarge)
UPLOAD_ERRORS = (MediaTooLarge, MediaUnreadable, PackageLimitReached)


async def show_token(request: PageRequest, site_ref: int | None) -> Token:
    await find_own_site(request, site_ref)
    return Token(request.form_token)


CALLS = [
    *CONTENT_CALLS,
    *HISTORY_CALLS,
    *PREVIEW_LINK_CALLS,
    *REDIRECT_CALLS,
    SessionCall(
        route=read(
            f"{EDIT}/render",
            "renderOwnPage",
            "A page as the frame shows it.",
            RenderedPage,
            PageNotFound,
            *RENDERING_ERRORS,
            query=RenderQuery,
        ),
        function=rendering.show_page,
        prepare=rendering.prepare_page,
    ),
    SessionCall(route=read(f"{EDIT}/start", "startEditor", "What the editor needs once.", EditorStart), function=start),
    SessionCall(route=read(f"{EDIT}/token", "getEditorToken", "The session's form token.", Token), function=show_token),
    SessionCall(
        route=read(f"{EDIT}/publish", "checkOwnSite", "What prevents publishing the site.", PublishState),
        function=publish.state,
        prepare=publish.prepare_state,
    ),
    SessionCall(
        route=change(f"{EDIT}/publish", "publishFromEditor", "Publish the site.", PublishState, PackageLimitReached),
        function=publish.publish,
        prepare=publish.prepare_publish,
    ),
    SessionCall(
        route=read(MEDIA, "listOwnMedia", "The pictures of the site.", EditorMedia, query=MediaQuery),
        function=media.list_media,
    ),
    SessionCall(
        route=change(MEDIA, "uploadOwnMedia", "Upload a picture.", MediaResponse, *UPLOAD_ERRORS),
        function=media.upload,
        prepare=media.prepare_upload,
        streams_body=True,
    ),
    SessionCall(
        route=change(
            ONE_PICTURE,
            "editOwnMedia",
            "Describe a picture.",
            MediaResponse,
            MediaNotFound,
            PackageLimitReached,
            form=MediaChanges,
        ),
        function=media.edit_media,
    ),
    SessionCall(
        route=change(
            f"{ONE_PICTURE}/crop",
            "cropOwnMedia",
            "Make a part of a picture a new one.",
            MediaResponse,
            MediaNotFound,
            MediaNotCroppable,
            *UPLOAD_ERRORS,
            form=MediaCrop,
        ),
        function=media.create_crop,
        prepare=media.prepare_crop,
    ),
    SessionCall(
        route=change(f"{ONE_PICTURE}/delete", "deleteOwnMedia", "Delete a picture.", None, MediaNotFound, MediaInUse),
        function=media.delete_media,
    ),
    SessionCall(
        route=read(f"{EDIT}/details", "getOwnDetails", "The business details of the site.", EditorDetails),
        function=details.read_details,
    ),
    SessionCall(
        route=change(
            f"{EDIT}/details", "saveOwnDetails", "Save business details; omitted ones stay.", None, form=DetailsForm
        ),
        function=details.write_details,
    ),
    SessionCall(
        route=change(f"{EDIT}/pictures", "saveSitePictures", "Set the site's logo.", None, form=PictureForm),
        function=media.save_pictures,
    ),
]
