"""Reference implementations: the same reads, written by other means and without authentication."""

DATABASE_VARIABLE = "BENCHMARK_DATABASE_URL"
FOLDER_VARIABLE = "BENCHMARK_DATA_DIR"
CONNECTIONS = 16
PAGE = "page.html"
"""The page of the edge server's measurements, in the service's folder."""
