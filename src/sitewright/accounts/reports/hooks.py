"""The lifecycle hook of copies of an account holder's data."""

from sitewright.kit.data_export import DataExport
from sitewright.kit.lifecycle import Hook

data_exported: Hook[DataExport] = Hook("data_exported")
"""A copy of all data of one user is being made: write all that the feature stores about them, without secrets."""
