"""The files of a report: their contents, and the zip archive."""
