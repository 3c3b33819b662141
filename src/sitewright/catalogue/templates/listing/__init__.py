"""Lists of the templates of a brand for its staff."""
