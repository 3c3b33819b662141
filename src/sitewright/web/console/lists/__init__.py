"""Lists of the console: each can be filtered, sorted, linked to, paged by key and downloaded as CSV."""
