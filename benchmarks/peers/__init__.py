"""What the service is measured against: the same reads, written by other means and without authentication."""

DATABASE_VARIABLE = "BENCHMARK_DATABASE_URL"
FOLDER_VARIABLE = "BENCHMARK_DATA_DIR"
CONNECTIONS = 16
PAGE = "page.html"
"""The page of the site listener's measurements, in the service's folder."""
