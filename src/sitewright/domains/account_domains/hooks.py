"""Lifecycle hooks of account domains, which features above (mailboxes) observe."""

from collections.abc import Sequence

from sitewright.kit.lifecycle import Hook

domains_ended: Hook[Sequence[int]] = Hook("domains_ended")
"""The account domains of these refs, of the transaction's brand, expired or were deleted."""
