RUN_ELSEWHERE = "run Sitewright as an ordinary user, or set SITEWRIGHT_DATABASE_URL to a PostgreSQL of your own."


class EmbeddedPostgresError(RuntimeError):
    """Says in plain sentences what is wrong, what to do, and where the log is."""


class FolderInUse(EmbeddedPostgresError):
    """Another process of ours has the data folder."""
