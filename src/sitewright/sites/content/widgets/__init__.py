"""Widgets: the parts of a page."""
