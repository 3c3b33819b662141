"""Lifecycle hooks of certificates."""

from collections.abc import Sequence

from sitewright.kit.lifecycle import Hook

hosts_certified: Hook[Sequence[int]] = Hook("hosts_certified")
"""Mapped domains of the transaction's brand, by their refs, got a new automatic certificate."""
