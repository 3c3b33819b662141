"""Images: the rows of a site's content that a change touches, before and after it."""
