"""Lists of the packages of a brand for its staff."""
