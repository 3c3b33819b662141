"""Brings the database's schema up to date: SQL files of `sitewright.migrations`, applied by the owner of the tables."""

from sitewright.kit.migrations.errors import MigrationError
from sitewright.kit.migrations.roles import ensure_roles
from sitewright.kit.migrations.runner import migrate, pending
from sitewright.kit.migrations.sources import Source, all_sources
from sitewright.kit.migrations.store import has_tables

__all__ = ["MigrationError", "Source", "all_sources", "ensure_roles", "has_tables", "migrate", "pending"]
