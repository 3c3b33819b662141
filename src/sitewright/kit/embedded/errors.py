RUN_ELSEWHERE = "run Sitewright as an ordinary user, or set SITEWRIGHT_DATABASE_URL to a PostgreSQL of your own."


class EmbeddedPostgresError(RuntimeError):
    """For operators: what is wrong, what to do, and where the log is."""


class FolderInUse(EmbeddedPostgresError):
    """Another Sitewright process has locked the data folder."""
