from sitewright.kit.problems import Conflict


class ContentChanged(Conflict):
    code = "contentChanged"
    title = "Somebody else changed it"
    detail = (
        "The item was changed since you read it, so nothing was written. `current` has it as it is now: send the"
        " change again with its `etag`, or leave it."
    )


class NothingToUndo(Conflict):
    code = "nothingToUndo"
    title = "There is nothing to undo"
    detail = "You made no change to this site that can still be undone."


class NothingToRedo(Conflict):
    code = "nothingToRedo"
    title = "There is nothing to redo"
    detail = "You have undone no change of this site, or made another change since."


class ContentTooLarge(Conflict):
    code = "contentTooLarge"
    title = "The content is too large for one response"
    detail = "Read the site page by page, with `pageRef`."
