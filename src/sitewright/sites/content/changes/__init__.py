"""Changes of a site's content: each made once, recorded, and undoable."""
