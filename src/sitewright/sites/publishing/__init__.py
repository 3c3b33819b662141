"""Publishing: render a site's content with its template to an immutable snapshot that visitors see."""
