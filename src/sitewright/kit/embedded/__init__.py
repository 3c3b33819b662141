"""The PostgreSQL server that Sitewright runs itself when no database is configured."""

from sitewright.kit.embedded.binaries import client_program
from sitewright.kit.embedded.errors import EmbeddedPostgresError, FolderInUse
from sitewright.kit.embedded.folder_lock import FolderLock
from sitewright.kit.embedded.postgres import EmbeddedPostgres
from sitewright.kit.embedded.scratch import scratch_server

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError", "FolderInUse", "FolderLock", "client_program", "scratch_server"]
