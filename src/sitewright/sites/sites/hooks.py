"""Lifecycle hooks of sites, observed by features above."""

from collections.abc import Sequence

from sitewright.kit.lifecycle import Hook

domains_unmapped: Hook[Sequence[str]] = Hook("domains_unmapped")
"""These host names of the transaction's brand were unmapped."""
site_erased: Hook[int] = Hook("site_erased")
"""The site with this ref was erased: observers delete all data that names it."""
