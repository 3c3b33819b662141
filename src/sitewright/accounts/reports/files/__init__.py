"""The files of a report: what stands in them, and the archive they lie in."""
