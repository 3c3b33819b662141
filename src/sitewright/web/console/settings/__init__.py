"""The settings of the brand, with a preview of what is typed."""
