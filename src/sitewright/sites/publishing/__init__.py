"""Publishing: what is on a site, rendered with its template to snapshots that visitors see."""
